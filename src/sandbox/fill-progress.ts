/** How many records there are between two reports. */
const STEP = 20_000;
const START_OF_LINE = '\r\u001b[K';

/** The part of standard error that shows the progress. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows on a terminal how far a large sandbox is filled, in one line that is updated. Elsewhere it writes nothing. */
export class FillProgress {
  private shown = false;

  constructor(
    private readonly total: number,
    private readonly output: ProgressOutput = process.stderr,
  ) {}

  /** Yields the records unchanged, and reports every 20,000 of them. */
  *report<T>(records: Iterable<T>): Generator<T, void> {
    let made = 0;
    for (const record of records) {
      yield record;
      made += 1;
      if (made % STEP === 0 || (made === this.total && made > STEP)) this.show(made);
    }
  }

  /** Clears the line. */
  end(): void {
    if (this.shown) this.output.write(START_OF_LINE);
  }

  private show(made: number): void {
    if (this.output.isTTY !== true) return;
    this.shown = true;
    const next = made === this.total ? ', building indexes' : '';
    const numbers = [made, this.total].map((count) => count.toLocaleString('en'));
    this.output.write(`${START_OF_LINE}Sandbox: ${numbers.join(' of ')} records${next}`);
  }
}
