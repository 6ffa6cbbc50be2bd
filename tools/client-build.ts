import { say } from '../measure/checks';
import { buildClient } from './client-steps';

buildClient().then(
  () => {
    say('Built clients/typescript/dist: esm and cjs.');
  },
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
