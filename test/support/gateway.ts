import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port';

/**
 * The path of nginx, if it is installed (`apt-get install nginx-light`). Debian installs it where `PATH` may not lead.
 */
export const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((path) => existsSync(path));

/** A gateway in front of a service. */
export interface Gateway {
  /** Where it listens. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts nginx, with its defaults, as a gateway that passes requests below `basePath` on without that prefix. */
export async function startGateway(serviceUrl: string, basePath: string): Promise<Gateway> {
  if (NGINX === undefined) throw new Error('nginx is missing');
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'gateway-')), await freePort()];
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`);
  const location = `location ${basePath}/ { proxy_set_header Host $http_host; proxy_pass ${serviceUrl}/; }`;
  const server = `server { listen 127.0.0.1:${port}; ${location} }`;
  // Where root starts nginx, its workers would run as another user, who cannot read the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const http = `http { access_log off; ${temporary.join(' ')} ${server} }`;
  writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid nginx.pid; ${user} events {} ${http}\n`);
  const nginx = spawn(NGINX, ['-p', `${folder}/`, '-e', 'stderr', '-c', 'nginx.conf'], { stdio: 'ignore' });
  const ended = once(nginx, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(url).catch(() => undefined)) === undefined) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
    await pause(20);
  }
  const close = async (): Promise<void> => {
    nginx.kill('SIGQUIT');
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { url, close };
}
