import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Launch } from '../server-process';

/** What tells one way to start a server from another. */
export type Start = Pick<Launch, 'entry' | 'nodeArguments' | 'readyAt'>;

/** The service by `node dist/main.js`. */
export const PLAIN_SERVICE = { entry: 'dist/main.js', readyAt: '/health/ready' } as const satisfies Start;

/** The service by the command of `npm start`, with the flags that it gives to Node. */
export const SERVICE: Start = { ...PLAIN_SERVICE, nodeArguments: startFlags() };

function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
