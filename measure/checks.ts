import { execFile, type ExecFileOptions } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../testing/upstream/eventually';

export const ROOT = join(__dirname, '..');
/** No program and no state takes longer, also on a machine with a load of thirty. */
const PROGRAM_MS = 3_600_000;
export const STATE_MS = 900_000;

// What has to be removed at the end of this process is removed by listeners of `exit`, also where a signal ends it.
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(code));
}

let passed = 0;
const broken: string[] = [];

/** Reports a check in a line, and what explains a fault behind it. */
export function checkThat(name: string, holds: boolean, otherwise: string): void {
  if (holds) passed += 1;
  else broken.push(name);
  say(holds ? `ok     ${name}` : `FAILED ${name}: ${otherwise}`);
}

export function checkEqual<T extends string | number | null>(name: string, found: T, expected: T): void {
  checkThat(name, found === expected, `${found} instead of ${expected}`);
}

/** A check that passes where there are no faults. */
export function checkNone(name: string, faults: readonly string[]): void {
  checkThat(name, faults.length === 0, faults.join('; '));
}

/** A check that passes where `work` ends without an error. */
export async function check(name: string, work: () => unknown): Promise<void> {
  try {
    await work();
    checkThat(name, true, '');
  } catch (error) {
    checkThat(name, false, textOf(error));
  }
}

/** What is waited for: an error means "not yet". */
type Condition = () => boolean | Promise<boolean>;

/** A check that passes as soon as `holds` is true; where it is not in time, `explain` returns the text of the fault. */
export async function checkWithin(name: string, holds: Condition, explain?: () => Promise<string>): Promise<void> {
  const isSo = await until(holds, STATE_MS, 250);
  checkThat(name, isSo, isSo ? '' : ((await explain?.()) ?? `not within ${STATE_MS} ms`));
}

/**
 * Runs the checks of a program. An error that `main` throws counts as a failed check. Then the process exits, with code 0
 * where at least one check passed and none failed; what the program has started ends by the listeners of that exit.
 */
export async function runProgram(main: () => Promise<void>): Promise<never> {
  await main().catch((error: unknown) => {
    checkThat('the program itself', false, textOf(error));
  });
  // Logs of containers may stand between a fault and the end. CI reads the counts in the last line.
  say(['', ...broken.map((name) => `  ${name}`), `${passed} passed, ${broken.length} failed`].join('\n'));
  process.exit(broken.length === 0 && passed > 0 ? 0 : 1);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Calls `holds` every `everyMs` until it is true. Resolves with `false` where it is not within `withinMs`. */
export function until(holds: Condition, withinMs: number, everyMs = 20): Promise<boolean> {
  const isSo = async (): Promise<boolean> => holds();
  return eventually('', () => isSo().catch(() => false), true, withinMs, everyMs).catch(() => false);
}

/**
 * Runs a program until it ends.
 *
 * @returns its standard output
 * @throws Error with its whole output, where it fails
 */
export async function execute(program: string, rest: readonly string[], place: ExecFileOptions = {}): Promise<string> {
  try {
    const running = promisify(execFile)(program, rest, { ...place, timeout: PROGRAM_MS, maxBuffer: Infinity });
    running.child.stdin?.end();
    return String((await running).stdout);
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program} ${rest.join(' ')} failed\n${stdout}${stderr || message}`, { cause: error });
  }
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Makes a temporary folder, which is removed when this process ends. */
export function temporaryFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  process.once('exit', () => { rmSync(folder, { recursive: true, force: true }); }); // prettier-ignore
  return folder;
}
