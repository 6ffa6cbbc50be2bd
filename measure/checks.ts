import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Reports checks with a line each. The last line counts those that passed and failed. */
export class Checks {
  private passed = 0;
  private broken = 0;

  expect(name: string, holds: boolean, otherwise: string): void {
    if (holds) this.passed += 1;
    else this.broken += 1;
    say(holds ? `ok     ${name}` : `BROKEN ${name}: ${otherwise}`);
  }

  /** Checks that some work ends without an error. */
  async check(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.expect(name, true, '');
    } catch (error) {
      this.expect(name, false, error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  /** Writes the count as the last line, and sets the exit code. */
  conclude(): void {
    say(`\n${this.passed} passed, ${this.broken} failed`);
    process.exitCode = this.broken === 0 && this.passed > 0 ? 0 : 1;
  }
}

/**
 * Runs a program whose last line counts its checks; an error that it throws is a failed one. Its children end with it.
 */
export async function runProgram(checks: Checks, main: () => Promise<void>): Promise<never> {
  try {
    await main();
  } catch (error) {
    checks.expect('the program itself', false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  checks.conclude();
  process.exit();
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
