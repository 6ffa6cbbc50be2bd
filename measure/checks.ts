/** Reports checks, one line each; their count is the last one. */
export class Checks {
  private passed = 0;
  private broken = 0;

  get failed(): number {
    return this.broken;
  }

  /** Names what the checks that follow belong to. */
  section(title: string): void {
    say(`\n${title}`);
  }

  expect(name: string, holds: boolean, otherwise: string): void {
    if (holds) this.passed += 1;
    else this.broken += 1;
    say(holds ? `ok     ${name}` : `BROKEN ${name}: ${otherwise}`);
  }

  /** Whether some work ends without an error. */
  async check(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.expect(name, true, '');
    } catch (error) {
      this.expect(name, false, error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  noGrowth(name: string, before: number, after: number, tolerance: number): void {
    this.expect(
      `no growth: ${name} (${before} → ${after})`,
      after <= before + tolerance,
      `more than ${tolerance} above`,
    );
  }

  /** Says how many there were, and sets the exit code. */
  conclude(): void {
    say(`\n${this.passed} passed, ${this.broken} failed`);
    process.exitCode = this.broken === 0 && this.passed > 0 ? 0 : 1;
  }
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
