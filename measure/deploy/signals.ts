import { checkThat, until } from '../checks';
import { Load } from '../load';
import type { Engine } from './engine';
import { NETWORK } from './stack';

const WAIT_MS = 300_000;
/** From the signal on: longer than the process needs to stop listening. */
const LOAD_MS = 5000;
/** As an orchestrator starts it, by the flags of the compose file; the service itself is process 1. */
const HARDENED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--memory', '512m'];
const PATH = '/api/Shipping/GetShippingPagedList?PageSize=100';

interface Moment {
  readonly name: string;
  /** Brings the service, whose container was just started, to the moment of the signal. */
  readonly reach: (url: string) => unknown;
  /** Whether the external system hangs; otherwise it is the sandbox. */
  readonly hangs?: boolean;
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
      const load = new Load(url, { ratePerSecond: 100, path: PATH });
      load.start();
      await until(() => load.outcomes.length > 50, WAIT_MS);
      setTimeout(() => void load.stop(), LOAD_MS);
    },
  },
  {
    name: 'while the external system hangs',
    hangs: true,
    reach: async (url) => {
      await untilReady(url);
      void fetch(url + PATH).catch(() => undefined);
    },
  },
];

/** Stops the service by SIGTERM in each of these moments. Each time it has to end by it, and not by SIGKILL. */
export async function checkSignals(engine: Engine, image: string): Promise<void> {
  const run = (...rest: string[]): Promise<string> => engine.docker('run', '--detach', '--network', NETWORK, ...rest);
  const silent = await run('--env', 'HOST=0.0.0.0', image, 'node', 'dist/sandbox/sandbox.process.js');
  const hung = `http://${await engine.address(silent)}:4000`;
  // The kernel accepts connections to it, and nothing responds.
  await untilOk(`${hung}/shippings/details?Limit=1`);
  await engine.docker('pause', silent);
  const check = async ({ name, reach, hangs = false, hasInit = false }: Moment): Promise<void> => {
    const upstream = `EXTERNAL_SHIPPING_BASE_URL=${hangs ? hung : 'http://sandbox:4000'}`;
    const container = await run(...HARDENED, ...(hasInit ? ['--init'] : []), '--env', upstream, image);
    await reach(`http://${await engine.address(container)}:3000`);
    await engine.docker('stop', '--time', '30', container);
    const code = await engine.inspect(container, '.State.ExitCode');
    // Before Node has loaded the first file, the signal itself ends the process: 143 behind an init process.
    const isEnd = code === '0' || (hasInit && code === '143');
    checkThat(`SIGTERM ${name}: it ends with 0`, isEnd, `${code}\n${await engine.logs(container)}`);
  };
  await Promise.all(MOMENTS.map(check));
  await engine.docker('unpause', silent);
}

function untilReady(url: string): Promise<boolean> {
  return untilOk(`${url}/health/ready`);
}

function untilOk(url: string): Promise<boolean> {
  return until(async () => (await fetch(url)).ok, WAIT_MS, 100);
}
