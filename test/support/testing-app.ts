export * from '../../testing/testing-app';
