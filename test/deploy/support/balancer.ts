import { freePort } from '../../support/free-port';
import { type Gateway, startHaproxy } from '../../support/gateway';
import { read } from './files';

const FOLDER = 'deploy/haproxy';
export const CONFIGURATION = read(`${FOLDER}/haproxy.cfg`);
/** A balancer that is believed what it says about the address of a client. */
export const PROXY = '127.0.0.3';

/** Starts what is shipped for systemd, with the ports of a test, changes of its text, and two more replicas that are down. */
export async function startBalancer(
  replica: string,
  changes: Readonly<Record<string, string>> = {},
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
  const servers = read(`${FOLDER}/systemd.cfg`)
    .replace(/^global\n(?: .*\n)*/m, '')
    .replace(/^(.*)replica-2(.*)$/gm, '$1replica-2$2\n$1replica-3$2')
    .replace(/3001|9091/g, replicaPort)
    .replace(/3002|9092/g, '1');
  const gateway = await startHaproxy(configuration + servers, port);
  return { ...gateway, metrics: { url: `http://127.0.0.1:${metricsPort}` } };
}
