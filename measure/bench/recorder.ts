/** What came back of one load. Faults count from the first response on, figures from when every connection has had one. */
export class Recorder {
  /** Resolves when every connection has had a response: opening hundreds of them at once takes its time. */
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

  /** A connection had its first response. */
  opened(): void {
    this.waitingFor -= 1;
    if (this.waitingFor > 0) return;
    this.startedAt = performance.now();
    this.begin();
  }

  /** The load is over: a connection without a response by now gets none. */
  over(): void {
    if (this.waitingFor <= 0) return;
    this.failed('connections without any response', this.waitingFor);
    this.startedAt = performance.now();
    this.begin();
  }

  responded(ms: number): void {
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

  get responses(): number {
    return this.durationsMs.length;
  }

  /** Responses per second. */
  get rate(): number {
    return (this.responses * 1000) / (this.lastAt - (this.startedAt ?? NaN));
  }

  /** Percentiles of the time to the response, in milliseconds. autocannon itself counts whole milliseconds only. */
  percentiles(): { p50Ms: number; p99Ms: number } {
    const sorted = Float64Array.from(this.durationsMs).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}
