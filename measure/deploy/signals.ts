import { checkThat, until } from '../checks';
import { Load } from '../load';
import type { Engine } from './engine';
import { imageOf, NETWORK, VERSION } from './stack';

const WAIT_MS = 300_000;
/** From the signal on: longer than the process needs to stop listening. */
const LOAD_MS = 5000;
/** As an orchestrator starts it, by the flags of the compose file; the service itself is process 1. */
const HARDENED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--memory', '512m'];
const UPSTREAM = ['--env', 'EXTERNAL_SHIPPING_BASE_URL=http://sandbox:4000'];
const OPERATIONS = '/api/Shipping';

interface Moment {
  readonly name: string;
  /** Brings the service, whose container was just started, to the moment of the signal. */
  readonly reach: (url: string) => unknown;
  /**
   * Whether an init process passes the signal on, as in the compose file. Without one, the kernel drops a signal for
   * process 1 until Node has loaded the first file, and an orchestrator would have to wait for its SIGKILL.
   */
  readonly hasInit?: boolean;
}

const MOMENTS: readonly Moment[] = [
  { name: 'idle', reach: untilReady },
  { name: 'at its start', reach: () => undefined, hasInit: true },
  {
    name: 'under load',
    reach: async (url) => {
      await untilReady(url);
      const load = new Load(url, { ratePerSecond: 100, path: `${OPERATIONS}/GetShippingPagedList?PageSize=100` });
      load.start();
      await until(() => load.outcomes.length > 50, WAIT_MS);
      setTimeout(() => void load.stop(), LOAD_MS);
    },
  },
  {
    name: 'while the external system hangs',
    reach: async (url) => {
      await untilReady(url);
      void fetch(`${url}${OPERATIONS}/GetShippingDetails?OrderId=SIMULATE-TIMEOUT`).catch(() => undefined);
      const isCalled = async (): Promise<boolean> =>
        (await (await fetch(`${url}/metrics`)).text()).includes('external_shipping_calls_in_flight 1');
      await until(isCalled, WAIT_MS);
    },
  },
];

/** Stops the service by SIGTERM in each of these moments. Each time it has to end by it, and not by SIGKILL. */
export async function checkSignals(engine: Engine): Promise<void> {
  const check = async ({ name, reach, hasInit = false }: Moment): Promise<void> => {
    const options = ['--detach', '--network', NETWORK, ...HARDENED, ...(hasInit ? ['--init'] : []), ...UPSTREAM];
    const container = await engine.docker('run', ...options, imageOf(VERSION));
    await reach(`http://${await engine.address(container)}:3000`);
    await engine.docker('stop', '--time', '30', container);
    const code = await engine.inspect(container, '.State.ExitCode');
    // Before Node has loaded the first file, the signal itself ends the process: 143 behind an init process.
    const isEnd = code === '0' || (hasInit && code === '143');
    const explain = isEnd ? '' : `${code}\n${await engine.logs(container)}`;
    checkThat(`SIGTERM ${name}: it ends with 0`, isEnd, explain);
  };
  await Promise.all(MOMENTS.map(check));
}

function untilReady(url: string): Promise<boolean> {
  return until(async () => (await fetch(`${url}/health/ready`)).ok, WAIT_MS, 100);
}
