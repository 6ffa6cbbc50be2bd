import { type Checks, until } from '../checks';
import { Load } from '../load';
import type { Engine } from './engine';

const WAIT_MS = 60_000;
/** From the signal on: longer than the process needs to stop listening. */
const LOAD_MS = 5000;
/** As an orchestrator starts it, by the flags of the compose file; the service itself is process 1. */
const HARDENED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--memory', '512m'];
const PATH = '/api/Shipping/GetShippingPagedList?PageSize=100';

interface Moment {
  readonly name: string;
  /** Brings the container to the moment of the signal. */
  readonly reach: (url: string, isReady: () => Promise<void>) => Promise<unknown>;
  readonly upstream: string;
  /**
   * Whether an init process passes the signal on, as in the compose file. Without one, the kernel drops a signal for
   * process 1 until Node has loaded the first file, and an orchestrator would have to wait for its SIGKILL.
   */
  readonly hasInit?: boolean;
}

/** Stops the service by SIGTERM in four moments. Each time it has to end by it, and not by SIGKILL. */
export async function checkSignals(engine: Engine, network: string, image: string, checks: Checks): Promise<void> {
  const run = (...rest: string[]): Promise<string> => engine.docker('run', '--detach', '--network', network, ...rest);
  const silent = await run(...['--env', 'HOST=0.0.0.0'], image, 'node', 'dist/sandbox/sandbox.process.js');
  const hung = `http://${await engine.address(silent)}:4000`;
  // The kernel accepts connections to it, and nothing responds.
  await until(() => responds(`${hung}/shippings/details?Limit=1`), WAIT_MS, 250);
  await engine.docker('pause', silent);
  const check = async ({ name, upstream, reach, hasInit = false }: Moment): Promise<void> => {
    const container = await run(
      ...HARDENED,
      ...(hasInit ? ['--init'] : []),
      '--env',
      `EXTERNAL_SHIPPING_BASE_URL=${upstream}`,
      image,
    );
    const url = `http://${await engine.address(container)}:3000`;
    await reach(url, async () => { await until(() => responds(`${url}/health/ready`), WAIT_MS, 100); }); // prettier-ignore
    await engine.docker('stop', '--time', '30', container);
    const code = await engine.inspect(container, '.State.ExitCode');
    checks.expect(`SIGTERM ${name}: it ends with 0`, isEnd(code, hasInit), `${code}\n${await engine.logs(container)}`);
  };
  await Promise.all(momentsOf(hung).map(check));
  await engine.docker('unpause', silent);
}

async function responds(url: string): Promise<boolean> {
  return fetch(url).then(({ ok }) => ok, () => false); // prettier-ignore
}

/** Before Node has loaded the first file, the signal itself ends the process, which gives 143 behind an init process. */
function isEnd(code: string, hasInit: boolean): boolean {
  return code === '0' || (hasInit && code === '143');
}

function momentsOf(hung: string): readonly Moment[] {
  return [
    { name: 'idle', upstream: 'http://sandbox:4000', reach: (_, isReady) => isReady() },
    { name: 'at its start', upstream: 'http://sandbox:4000', reach: () => Promise.resolve(), hasInit: true },
    {
      name: 'under load',
      upstream: 'http://sandbox:4000',
      reach: async (url, isReady) => {
        await isReady();
        const load = new Load(url, { ratePerSecond: 100, path: PATH });
        load.start();
        await until(() => load.outcomes.length > 50, WAIT_MS);
        setTimeout(() => void load.stop(), LOAD_MS);
      },
    },
    {
      name: 'while the external system hangs',
      upstream: hung,
      reach: async (url, isReady) => {
        await isReady();
        void fetch(url + PATH).catch(() => undefined);
      },
    },
  ];
}
