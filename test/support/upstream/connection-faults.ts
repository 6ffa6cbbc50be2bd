export * from '../../../testing/upstream/connection-faults';
