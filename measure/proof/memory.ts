import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkNone, checkThat, runProgram, until } from '../checks';
import { counted } from '../load';
import { ServerProcess } from '../server-process';
import { type Attack, ATTACKS, pairsOfAttacks } from './attacks';
import { COMMAND, ENV, LIMIT, NODE_MAJOR } from './container';
import { HostileClients } from './hostile-clients';
import { HEADERS, type HostileWorld, ORDINARY_PATH, startWorld } from './hostile-world';

/**
 * Attacks the built service, run as the image and the manifest say: each attack alone, then two of different kinds at
 * the same time, each time on a new process. Exits with 1 where the process takes more than {@link MOST_MIB}, ends, breaks
 * off a response that its client reads, or does not serve another client afterwards. `--short` leaves out the pairs, which
 * take most of the time; `--only TEXT` tries what has the text in its name.
 */

/** The most resident memory of the process, at any time (D59). */
const MOST_MIB = 480;
/** An attack is over when the highest memory has not grown by so much for so long, and after {@link ATTACK_MS} at last. */
const GROWTH_MIB = 2;
const SETTLED_MS = 2000;
const ATTACK_MS = 15_000;
/** Refusals for overload and open circuits may outlast an attack by a few seconds. */
const RECOVERY_MS = 10_000;

const options = { only: { type: 'string', default: '' }, short: { type: 'boolean', default: false } } as const;
const { only, short } = parseArgs({ options }).values;

async function main(): Promise<void> {
  const isOfImage = process.version.startsWith(`v${NODE_MAJOR}.`);
  checkThat(`Node ${NODE_MAJOR} of the image, with ${ENV.NODE_OPTIONS}; ${LIMIT}`, isOfImage, process.version);
  const world = await startWorld();
  const pairs = short ? [] : pairsOfAttacks();
  for (const attacks of [...ATTACKS.map((attack) => [attack]), ...pairs]) {
    const name = attacks.map((attack) => attack.name).join(' + ');
    if (name.includes(only)) await attack(name, attacks, world);
  }
}

/** Runs the attacks on a service of their own, and checks what it does. */
async function attack(name: string, attacks: readonly Attack[], world: HostileWorld): Promise<void> {
  const base = { ...ENV, EXTERNAL_SHIPPING_BASE_URL: world.upstream.url };
  const env = attacks.reduce((before, { kind }) => ({ ...before, ...world.settings[kind] }), base);
  const service = await ServerProcess.start({ name, entry: COMMAND, env, readyAt: '/health/ready' });
  const clients = new HostileClients(service.url);
  let isBegun = false;
  const begun = Promise.all(attacks.map(({ begin }) => begin(clients, world))).then(() => (isBegun = true));
  const mostMiB = await highestMemory(service, () => isBegun);
  clients.stop();
  await begun;
  await clients.finish();
  world.upstream.calls = [];
  const isServed = await until(() => service.hasEnded || isComplete(service), RECOVERY_MS, 100);
  const hasEnded = service.hasEnded;
  const code = await service.stop();
  const broken = [
    ...(mostMiB > MOST_MIB ? [`more than ${MOST_MIB} MiB`] : []),
    ...(hasEnded ? [/FATAL ERROR: .*/.exec(service.output)?.[0] ?? `it ended before with ${code ?? 'a signal'}`] : []),
    ...(isServed ? [] : ['another client is not served']),
    ...(clients.read.some((outcome) => outcome.startsWith('broken')) ? ['responses were broken off'] : []),
    ...(hasEnded || code === 0 ? [] : [`it ended with ${code}`]),
  ];
  checkNone(`${name}: ${mostMiB.toFixed()} MiB; ${seen(service, clients)}`, broken);
}

/** The responses that the service logged and that clients have read: they show what an attack has reached. */
function seen(service: ServerProcess, clients: HostileClients): string {
  const logged = [...service.output.matchAll(/"status":(\d+)/g)].map(([, status = '']) => status);
  return `logged: ${counted(logged) || 'nothing'}; read: ${counted(clients.read) || 'nothing'}`;
}

/** The highest resident memory in MiB, until all attacks have begun and it does not grow, or the process has ended. */
async function highestMemory(service: ServerProcess, isBegun: () => boolean): Promise<number> {
  const path = `/proc/${service.pid}/status`;
  const deadline = performance.now() + ATTACK_MS;
  let highest = 0;
  let [grown, grownAt] = [0, performance.now()];
  while (!service.hasEnded && performance.now() < (isBegun() ? Math.min(grownAt + SETTLED_MS, deadline) : deadline)) {
    // The kernel keeps the most that a process has had; the file is gone where it has ended.
    const [, kib = 0] = /VmHWM:\s+(\d+) kB/.exec(existsSync(path) ? readFileSync(path, 'utf8') : '') ?? [];
    highest = Math.max(highest, Number(kib) / 1024);
    if (highest > grown + GROWTH_MIB) [grown, grownAt] = [highest, performance.now()];
    await pause(20);
  }
  return highest;
}

async function isComplete({ url }: ServerProcess): Promise<boolean> {
  const [outcome] = await new HostileClients(url).readAll([{ path: ORDINARY_PATH, headers: HEADERS }]);
  return outcome === 'complete';
}

void runProgram(main);
