import { checkThat, checkWithin } from '../checks';
import { counted } from '../load';
import type { Engine } from './engine';
import { imageOf, NETWORK, VERSION } from './stack';

const PATH = '/api/Shipping/GetShippingPagedList?PageSize=20&SearchTerm=';
const SETTINGS = {
  EXTERNAL_SHIPPING_BASE_URL: 'http://sandbox:4000',
  REDIS_URL: 'redis://silent-redis:6379',
  CACHE_TTL_MS: '10000',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://silent-collector:4318',
};

/** Starts a replica whose names of Redis and of the collector get no answer, and sends it requests. */
export async function checkSilentNames(engine: Engine): Promise<void> {
  // Another container has the network, so that its firewall is there when the service starts.
  const network = await engine.docker('run', '--detach', '--network', NETWORK, 'stand-in', 'sleep', '3600');
  const silent = ['-p', 'udp', '-m', 'string', '--algo', 'bm', '--string', 'silent-', '-j', 'DROP'];
  await engine.firewall(network, '-A', ...silent);
  const env = Object.entries(SETTINGS).flatMap((pair) => ['--env', pair.join('=')]);
  const command = ['node', '--require', './dist/observability/tracing/preload.js', 'dist/main.js'];
  const options = ['--detach', '--network', `container:${network}`, ...env];
  const service = await engine.docker('run', ...options, imageOf(VERSION), ...command);
  const url = `http://${await engine.address(network)}:3000`;
  await checkWithin('it is ready', async () => (await fetch(`${url}/health/ready`)).ok);
  const rules = (): Promise<string> => engine.firewall(network, '-nvxL');
  // For the addresses of both families of two names.
  const haveAsked = async (): Promise<boolean> => Number(/^ *(\d+) .* DROP /m.exec(await rules())?.[1]) >= 4;
  await checkWithin('lookups of silent names wait', haveAsked);
  // Each opens a connection, and looks up the name of the external system.
  const send = async (_: unknown, index: number): Promise<string> => {
    const response = await fetch(`${url}${PATH}${index}`);
    return `${response.status} ${response.headers.get('shipping-completeness')}`;
  };
  const results = counted(await Promise.all(Array.from({ length: 40 }, send)));
  const found = `${results}\n${await engine.logs(service)}`;
  checkThat('all requests get complete responses', results === '40 × 200 complete', found);
  await engine.docker('rm', '--force', service, network);
}
