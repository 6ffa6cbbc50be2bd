export * from '../../../testing/upstream/records';
