import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BY_ID, type Case, paged, unpaged } from './cases';
import { startExternalSystem, startServer } from './field';
import { load } from './load';
import { findPinning, pin } from './machine';
import { busyTime, type CpuProfile, largest } from './profile-parts';
import { Recorder } from './recorder';
import { SERVICE } from './service';

/**
 * Shows where the processor time of the built service goes under 32 connections: by parts of the service and by function.
 * Only the later half of the profile counts, when everything is compiled.
 */

const CASES: Readonly<Record<string, Case>> = {
  page10: paged(10),
  page100: paged(100),
  'by-id': BY_ID,
  unpaged100: unpaged(100),
};
const CONNECTIONS = 32;
const TOP_FUNCTIONS = 30;

const { values: options } = parseArgs({
  options: { case: { type: 'string', default: 'page10' }, seconds: { type: 'string', default: '14' } },
});

async function main(): Promise<void> {
  const kind = CASES[options.case];
  if (kind === undefined) throw new Error(`No ${options.case}; there are ${Object.keys(CASES).join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'shipping-profile-'));
  try {
    const responses = await record(kind, directory);
    const [file = ''] = readdirSync(directory);
    const profile = JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile;
    const { parts, functions, idleShare } = busyTime(profile);
    print(
      `${kind.title}, ${CONNECTIONS} connections, Node ${process.version}: ${responses} responses, idle ${percent(idleShare)}\n`,
    );
    print(largest(parts, Infinity).map(line).join('\n'));
    print(`\n${largest(functions, TOP_FUNCTIONS).map(line).join('\n')}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Loads a service that profiles itself; it writes the profile as it exits. */
async function record(kind: Case, directory: string): Promise<number> {
  const pinning = findPinning();
  if (pinning !== null) pin(process.pid, pinning.others);
  const external = await startExternalSystem();
  const profiling = ['--cpu-prof', `--cpu-prof-dir=${directory}`, '--cpu-prof-interval=200'];
  const service = await startServer('service', external, pinning, {
    ...SERVICE,
    nodeArguments: [...(SERVICE.nodeArguments ?? []), ...profiling],
  });
  const recorder = new Recorder(CONNECTIONS);
  const { nextPath, completeness } = kind;
  const traffic = { nextPath, isRight: () => true, completeness, connections: CONNECTIONS };
  await load(service.url, traffic, Number(options.seconds), recorder);
  await service.stop();
  await external.stop();
  return recorder.responses;
}

function line([name, share]: readonly [string, number]): string {
  return `${percent(share).padStart(7)}  ${name}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
});
