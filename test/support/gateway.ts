import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../testing/upstream/eventually';
import { freePort } from './free-port';

/** The program of HAProxy, which Debian installs (`apt-get install haproxy`) where `PATH` may not lead. */
export const HAPROXY = '/usr/sbin/haproxy';

/** A gateway in front of a service. */
export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  /** What it has written to its standard output. */
  log(): string;
  close(): Promise<void>;
}

/** Starts HAProxy as a gateway that passes requests below `basePath` on without that prefix. */
export async function startGateway(serviceUrl: string, basePath: string): Promise<Gateway> {
  const port = await freePort();
  const timeouts = ['connect', 'client', 'server'].map((kind) => `timeout ${kind} 10s`);
  const proxy = `bind 127.0.0.1:${port}\nhttp-request replace-path ${basePath}(/.*) \\1`;
  const server = `server service ${new URL(serviceUrl).host}`;
  return startHaproxy(['defaults', 'mode http', ...timeouts, 'listen gateway', proxy, server, ''].join('\n'), port);
}

/** Starts HAProxy with this configuration, by which it listens on `port`. */
export async function startHaproxy(configuration: string, port: number): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration);
  const haproxy = spawn(HAPROXY, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  haproxy.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(haproxy, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const responds = (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => haproxy.exitCode !== null,
    );
  await eventually('HAProxy responds', responds);
  if (haproxy.exitCode !== null) throw new Error(`HAProxy ended with ${haproxy.exitCode}`);
  const close = async (): Promise<void> => {
    haproxy.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { url, log: () => output, close };
}
