export * from '../../../testing/upstream/body-faults';
