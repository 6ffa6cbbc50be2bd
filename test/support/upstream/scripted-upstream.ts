export * from '../../../testing/upstream/scripted-upstream';
