import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort, ServerProcess } from '../server-process';

const DEPLOY = join(__dirname, '../../deploy');
/** Where Debian keeps nginx, which is not on everybody's path. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];
const RESPONSE_MS = 1000;

/**
 * Finds the programs that npm does not install.
 *
 * @throws Error naming all that are missing and how to get them
 */
export function findPrograms<Name extends string>(...names: readonly Name[]): Record<Name, string> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS];
  const paths = names.map((name) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path)));
  const missing = names.filter((_, index) => paths[index] === undefined);
  if (missing.length > 0) {
    throw new Error(
      `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. On Debian and Ubuntu: apt-get install -y nginx-light redis-server`,
    );
  }
  return Object.fromEntries(names.map((name, index) => [name, paths[index]])) as Record<Name, string>;
}

/** Starts nginx by the configuration that is deployed, byte for byte; only the two files with addresses differ. */
export async function startBalancer(
  program: string,
  replicas: readonly { readonly url: string }[],
): Promise<ServerProcess> {
  const port = await freePort();
  const folder = temporaryFolder('shipping-balancer-');
  const servers = replicas.map(({ url }) => serverLine(new URL(url).host));
  writeFileSync(join(folder, 'nginx.conf'), readFileSync(join(DEPLOY, 'nginx/nginx.conf')));
  writeFileSync(join(folder, 'listen.conf'), `listen 127.0.0.1:${port};\n`);
  writeFileSync(join(folder, 'replicas.conf'), `${servers.join('\n')}\n`);
  // Workers of root would run as another user, to whom the folder is closed.
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  return ServerProcess.start({
    name: 'balancer',
    entry: [program, '-p', `${folder}/`, '-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-g', `daemon off;${user}`],
    port,
    readyAt: '/health/ready',
    // Killed by force, it would leave its workers behind.
    lastResort: 'SIGTERM',
  });
}

/** As in the deployed file, for another address. */
function serverLine(address: string): string {
  const deployed = readFileSync(join(DEPLOY, 'nginx/replicas.conf'), 'utf8');
  const [, options = ''] = /^server \S+( .*;)$/m.exec(deployed) ?? [];
  return `server ${address}${options}`;
}

/** Starts Redis with the given arguments, on a free port. */
export async function startRedis(program: string, deployed: readonly string[]): Promise<ServerProcess> {
  const port = await freePort();
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', temporaryFolder('shipping-redis-')];
  return ServerProcess.start({
    name: 'redis',
    entry: [program, ...deployed, ...own],
    port,
    readyAt: (url) => askRedis(url, 'PING').then((response) => response === '+PONG', () => false),
  }); // prettier-ignore
}

/** The first line of its response to a command. */
export function askRedis(url: string, command: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${command}\r\n`));
    socket.setTimeout(RESPONSE_MS, () => socket.destroy(new Error('Redis does not respond')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('latin1').split('\r\n')[0] ?? '');
    });
  });
}

/** Gone when this process is. */
function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
