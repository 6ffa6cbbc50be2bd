export * from '../../../testing/upstream/received-call';
