/** What came back of one load. Faults count from the first answer on, figures from when every connection has had one. */
export class Recorder {
  /** Resolves when every connection has had an answer: opening hundreds of them at once takes its time. */
  readonly underWay: Promise<void>;
  /** Kinds of faults and how often each was met. */
  readonly faults: Record<string, number> = {};
  /** Values of `Shipping-Completeness`, where they were looked at, and how often each was met. */
  readonly completeness: Record<string, number> = {};
  private readonly durationsMs: number[] = [];
  private begin: () => void = () => undefined;
  private startedAt: number | undefined;
  private lastAt = 0;

  constructor(private waitingFor: number) {
    this.underWay = new Promise((resolve) => (this.begin = resolve));
  }

  /** A connection had its first answer. */
  opened(): void {
    this.waitingFor -= 1;
    if (this.waitingFor > 0) return;
    this.startedAt = performance.now();
    this.begin();
  }

  /** The load is over: whoever has had no answer by now will get none. */
  over(): void {
    if (this.waitingFor <= 0) return;
    this.failed('connections without any answer', this.waitingFor);
    this.startedAt = performance.now();
    this.begin();
  }

  answered(ms: number): void {
    if (this.startedAt === undefined) return;
    this.lastAt = performance.now();
    this.durationsMs.push(ms);
  }

  said(completeness: string): void {
    this.completeness[completeness] = (this.completeness[completeness] ?? 0) + 1;
  }

  failed(how: string, times: number): void {
    if (times > 0) this.faults[how] = (this.faults[how] ?? 0) + times;
  }

  get answers(): number {
    return this.durationsMs.length;
  }

  /** Answers per second. */
  get rate(): number {
    return (this.answers * 1000) / (this.lastAt - (this.startedAt ?? NaN));
  }

  /** Percentiles of the time to answer, in milliseconds. autocannon itself counts whole milliseconds only. */
  percentiles(): { p50Ms: number; p99Ms: number } {
    const sorted = Float64Array.from(this.durationsMs).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}
