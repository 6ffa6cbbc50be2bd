import { freePort } from '../../support/free-port';
import { type Gateway, startHaproxy } from '../../support/gateway';
import { read } from './files';
import type { NameServer } from './name-server';

const FOLDER = 'deploy/haproxy';
export const CONFIGURATION = read(`${FOLDER}/haproxy.cfg`);
/** A balancer that is believed what it says about the address of a client. */
export const PROXY = '127.0.0.3';

/** The processes of the unit: the replica of a test, and two more that are down. */
const unitOf = (port: string): string =>
  read(`${FOLDER}/systemd.cfg`)
    .replace(/^global\n(?: .*\n)*/m, '')
    .replace(/^(.*)replica-2(.*)$/gm, '$1replica-2$2\n$1replica-3$2')
    .replace(/3001|9091/g, port)
    .replace(/3002|9092/g, '1');

/** The containers of the compose file: the replica of a test, by a name that its name server has. */
const containersOf = (port: string, names: NameServer): string =>
  read(`${FOLDER}/compose.cfg`)
    .replace('parse-resolv-conf', `nameserver scripted 127.0.0.1:${names.port}`)
    .replace(/3000|9090/g, port);

/** Starts what is shipped for systemd, or for the compose file, with the ports of a test and changes of its text. */
export async function startBalancer(
  replica: string,
  changes: Readonly<Record<string, string>> = {},
  names?: NameServer,
): Promise<Gateway & { readonly metrics: { readonly url: string } }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const all = {
    'LISTEN :8080': `LISTEN 127.0.0.1:${port}`,
    'METRICS_LISTEN :8404': `METRICS_LISTEN 127.0.0.1:${metricsPort}`,
    'PROXIES 0.0.0.0': `PROXIES 127.0.0.2\\ ${PROXY}`,
    ...changes,
  };
  const configuration = Object.entries(all).reduce((text, [from, to]) => text.replace(from, to), CONFIGURATION);
  const replicaPort = new URL(replica).port;
  const servers = names === undefined ? unitOf(replicaPort) : containersOf(replicaPort, names);
  const gateway = await startHaproxy(configuration + servers, port);
  return { ...gateway, metrics: { url: `http://127.0.0.1:${metricsPort}` } };
}
