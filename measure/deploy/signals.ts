import { checkThat } from '../checks';
import type { Engine } from './engine';
import { imageOf, NETWORK, untilReady, VERSION } from './stack';

/** As an orchestrator starts it, by the flags of the compose file; the service itself is process 1. */
const HARDENED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--memory', '512m'];
const UPSTREAM = ['--env', 'EXTERNAL_SHIPPING_BASE_URL=http://sandbox:4000'];

/**
 * Stops the service by SIGTERM, as process 1 when it is ready, and at its start behind an init process, which passes the
 * signal on, as in the compose file: without one, the kernel drops a signal for process 1 until Node has loaded the first
 * file, and an orchestrator would have to wait for its SIGKILL. What is under way is tested without containers.
 */
export async function checkSignals(engine: Engine): Promise<void> {
  await Promise.all([stop(engine, 'idle', [], untilReady), stop(engine, 'at its start', ['--init'], () => undefined)]);
}

/** It has to end by the signal, and not by SIGKILL. */
async function stop(
  engine: Engine,
  moment: string,
  init: readonly string[],
  reach: (url: string) => unknown,
): Promise<void> {
  const options = ['--detach', '--network', NETWORK, ...HARDENED, ...init, ...UPSTREAM];
  const container = await engine.docker('run', ...options, imageOf(VERSION));
  await reach(`http://${await engine.address(container)}:3000`);
  await engine.docker('stop', '--time', '30', container);
  const code = await engine.inspect(container, '.State.ExitCode');
  // Before Node has loaded the first file, the signal itself ends the process: 143 behind an init process.
  const isEnd = code === '0' || (init.length > 0 && code === '143');
  const explain = isEnd ? '' : `${code}\n${await engine.logs(container)}`;
  checkThat(`SIGTERM ${moment}: it ends with 0`, isEnd, explain);
}
