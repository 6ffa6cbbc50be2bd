/** Collects what was checked, and says so. */
export class Checks {
  /**
   * How much later samples of the heap may be above earlier ones: what code that runs for the first time, caches of
   * compiled code and the fragments of collections make up. A leak of a hundred bytes a request is beyond it in minutes.
   */
  readonly heapTolerance = 1024 * 1024;
  /** Objects that wait for a collection of their own. */
  readonly strayObjects = 3;

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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
