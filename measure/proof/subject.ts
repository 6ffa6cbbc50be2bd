import type { IntervalHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { send } from '../../test/support/http-client';
import { ServiceProcess } from '../../test/faults/support/service-process';

/** Distances of the ticks of a timer of 10 ms, in nanoseconds, as `monitorEventLoopDelay` measures them. */
export type Delay = Pick<IntervalHistogram, 'max' | 'mean' | 'count'>;

/** What the service says of itself, measured after garbage collection. */
export interface Measurements {
  /** Heap in use and memory outside of it that objects hold, in bytes. */
  readonly heapBytes: number;
  /** Open connections, to clients and to the external system. */
  readonly sockets: number;
  /** Of the process and of everything that it has open. */
  readonly listeners: number;
  /** Of its event loop since the last measurement. */
  readonly delay: Delay;
  /** Names of the warnings of the process, such as `MaxListenersExceededWarning`. */
  readonly warnings: readonly string[];
  /** Live objects, whatever holds them; where they were asked for. */
  readonly objects?: { readonly sockets: number; readonly timers: number; readonly signals: number };
}

/** How the calls to the external system stand. */
export interface CallState {
  readonly circuits: Readonly<Record<string, string>>;
  readonly inFlight: number;
  readonly waiting: number;
}

/** Bounds hangs. */
const PATIENCE_MS = 30_000;
const SETTLE_MS = 10_000;

/** The built service in a process of its own, which can be measured from the inside. */
export class ServiceUnderTest {
  private constructor(private readonly process: ServiceProcess) {}

  static async start(env: Readonly<Record<string, string>>): Promise<ServiceUnderTest> {
    const process = await ServiceProcess.start(env, {
      entry: 'measure/service.js',
      preload: [join(__dirname, 'probe.js')],
      nodeArguments: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    });
    process.discardLog();
    return new ServiceUnderTest(process);
  }

  get url(): string {
    return this.process.url;
  }

  get alive(): boolean {
    return this.process.alive;
  }

  /** Leaves its log unread. */
  stallLog(): void {
    this.process.stopReadingOutput();
  }

  readLog(): void {
    this.process.readOutput();
  }

  /** What it wrote where only uncaught errors go. */
  get complaints(): string {
    return this.process.stderr;
  }

  /** Measures it. That stalls it, so that it may shed requests; resolves when it does not any more. */
  async measure(countsObjects = false): Promise<Measurements> {
    const { figures } = await this.process.ask({ countsObjects }, 'figures');
    while ((await send(this.url, '/api/Shipping/GetShippingDetails?Limit=0')).status === 503) await pause(50);
    return figures as Measurements;
  }

  /** Waits until no call is in flight or waits, but no longer than patience lasts: one that is left is a finding. */
  async settle(): Promise<CallState> {
    const deadline = performance.now() + SETTLE_MS;
    for (;;) {
      const state = await this.callState();
      if (state.inFlight + state.waiting === 0 || performance.now() > deadline) return state;
      await pause(20);
    }
  }

  async callState(): Promise<CallState> {
    const { body } = await send(this.url, '/health/ready');
    return (JSON.parse(body) as { externalSystem: CallState }).externalSystem;
  }

  /** The value of a metric, by its name and labels as `/metrics` writes them; 0 where it has none. */
  async metric(sample: string): Promise<number> {
    const { body } = await send(this.url, '/metrics');
    const line = body.split('\n').find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  }

  /** Waits until a metric is as expected. */
  async untilMetric(sample: string, expected: (value: number) => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!expected(await this.metric(sample))) {
      if (performance.now() > deadline) throw new Error(`${sample} is not as expected`);
      await pause(20);
    }
  }

  /** Ends it as an orchestrator does, also where its log is not read; resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.process.signal('SIGTERM');
    const overdue = setTimeout(() => {
      this.process.signal('SIGKILL');
    }, 25_000);
    const { code } = await this.process.ended;
    clearTimeout(overdue);
    this.readLog();
    return code;
  }
}
