export * from '../../testing/key-server';
