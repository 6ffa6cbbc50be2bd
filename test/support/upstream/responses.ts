export * from '../../../testing/upstream/responses';
