export * from '../../../testing/upstream/exchange';
