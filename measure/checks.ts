/** Collects the results of checks, and reports them. */
export class Checks {
  private readonly lines: string[] = [];
  private passed = 0;
  private broken = 0;

  get failed(): number {
    return this.broken;
  }

  /** Names what the checks that follow belong to. */
  section(title: string): void {
    this.lines.push('', title);
  }

  expect(name: string, holds: boolean, otherwise: string): void {
    if (holds) this.passed += 1;
    else this.broken += 1;
    this.lines.push(holds ? `ok     ${name}` : `BROKEN ${name}: ${otherwise}`);
  }

  noGrowth(name: string, before: number, after: number, tolerance: number): void {
    this.expect(
      `no growth: ${name} (${before} → ${after})`,
      after <= before + tolerance,
      `more than ${tolerance} above`,
    );
  }

  report(): string {
    return [...this.lines, '', `${this.passed} passed, ${this.broken} failed`].join('\n');
  }
}
