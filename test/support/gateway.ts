import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port';

/** The program of HAProxy, which Debian installs (`apt-get install haproxy`) where `PATH` may not lead. */
export const HAPROXY = '/usr/sbin/haproxy';

/** A gateway in front of a service. */
export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts HAProxy as a gateway that passes requests below `basePath` on without that prefix. */
export async function startGateway(serviceUrl: string, basePath: string): Promise<Gateway> {
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'gateway-')), await freePort()];
  const file = join(folder, 'haproxy.cfg');
  const timeouts = ['connect', 'client', 'server'].map((kind) => `timeout ${kind} 10s`);
  const proxy = `bind 127.0.0.1:${port}\nhttp-request replace-path ${basePath}(/.*) \\1`;
  const server = `server service ${new URL(serviceUrl).host}`;
  writeFileSync(file, ['defaults', 'mode http', ...timeouts, 'listen gateway', proxy, server, ''].join('\n'));
  const haproxy = spawn(HAPROXY, ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(haproxy, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(url).catch(() => undefined)) === undefined) {
    if (haproxy.exitCode !== null) throw new Error(`HAProxy ended with ${haproxy.exitCode}`);
    await pause(20);
  }
  const close = async (): Promise<void> => {
    haproxy.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { url, close };
}
