/** Counts what holds and what does not, and says so line by line. */
export class Checks {
  private passed = 0;
  private failed = 0;

  /** @param details what to show where it does not hold */
  add(name: string, holds: boolean, details = ''): void {
    if (holds) this.passed++;
    else this.failed++;
    process.stdout.write(holds ? `ok      ${name}\n` : `FAILED  ${name}\n${details.slice(-6000)}\n`);
  }

  /** Writes the count as the last line. */
  report(): boolean {
    process.stdout.write(`${this.passed} passed, ${this.failed} failed\n`);
    return this.failed === 0;
  }
}
