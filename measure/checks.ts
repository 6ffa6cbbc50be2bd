import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '..');
/** No program and no state takes longer, also on a busy machine. */
const PROGRAM_MS = 600_000;
const STATE_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

// What has to be removed at the end of this process is removed by listeners of `exit`, also where a signal ends it.
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(code));
}

/** Reports each check in a line, and at last how many passed and failed. */
export class Checks {
  private passed = 0;
  private broken = 0;

  expect(name: string, holds: boolean, otherwise: string): void {
    if (holds) this.passed += 1;
    else this.broken += 1;
    say(holds ? `ok     ${name}` : `BROKEN ${name}: ${otherwise}`);
  }

  /** A check that passes where `work` ends without an error. */
  async check(name: string, work: () => unknown): Promise<void> {
    const fault = await Promise.resolve()
      .then(work)
      .then(() => undefined, textOf);
    this.expect(name, fault === undefined, fault ?? '');
  }

  /** A check that passes as soon as `holds` is true; where it is not in time, `explain` returns the text of the fault. */
  async within(
    name: string,
    holds: () => boolean | Promise<boolean>,
    explain: () => string | Promise<string> = () => `not within ${STATE_MS} ms`,
  ): Promise<void> {
    const isSo = await until(holds, STATE_MS, 250);
    this.expect(name, isSo, isSo ? '' : await explain());
  }

  /** Writes the last line, and sets the exit code: 0 where at least one check passed and none failed. */
  conclude(): void {
    say(`\n${this.passed} passed, ${this.broken} failed`);
    process.exitCode = this.broken === 0 && this.passed > 0 ? 0 : 1;
  }
}

/** Runs a program of checks, in which its own error counts as a failed check, and ends its process. */
export async function runProgram(checks: Checks, main: () => Promise<void>): Promise<never> {
  await main().catch((error: unknown) => {
    checks.expect('the program itself', false, textOf(error));
  });
  checks.conclude();
  process.exit();
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Calls `holds` every `everyMs` until it is true. Resolves with `false` where it is not within `withinMs`. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs: number, everyMs = 20): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) return false;
    await pause(everyMs);
  }
  return true;
}

/**
 * Runs a program until it ends.
 *
 * @returns its standard output
 * @throws Error with its whole output, where it fails
 */
export async function execute(
  program: string,
  rest: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<string> {
  const { input = '', ...place } = options;
  const bounds = { timeout: PROGRAM_MS, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    const running = promisify(execFile)(program, rest, { ...place, ...bounds });
    running.child.stdin?.on('error', () => undefined).end(input);
    return (await running).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program} ${rest.join(' ')} failed\n${stdout}${stderr || message}`, { cause: error });
  }
}

/** Resident memory of a process in MiB, now or at most so far (`VmHWM`); `NaN` where the process has ended. */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Number(kilobytes) / 1024;
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
