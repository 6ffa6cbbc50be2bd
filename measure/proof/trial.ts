import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { json } from '../../test/support/upstream/responses';
import { authorityFile, sound } from '../../test/support/upstream/certificates';
import { UNRESOLVABLE_URL } from '../../test/support/upstream/refused-url';
import { ScriptedUpstream } from '../../test/support/upstream/scripted-upstream';
import { Load, type Outcome } from './load';
import { HostileClients } from './hostile-clients';
import type { Scenario, Stage } from './scenario';
import { isAllowed } from './scenarios';
import { type Delay, ServiceUnderTest, type Measurements } from './subject';

/** The settings of the service under trial; shorter than the defaults, so that a trial takes moments. */
export const SETTINGS = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '1000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '400',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '500',
};

export const TOTAL_MS = 1_000;
export const RATE = 80;
export const FAULT_MS = 2_400;
const BASELINE_MS = 300;
const WARM_UP_MS = 1_000;
/** The traffic that retries are allowed by. */
const BUDGET_WINDOW_MS = 10_000;
const STEADY_MS = 400;
const LONGEST_RECOVERY_MS = 15_000;
const TICK_MS = 10;

/** Event-loop lag of the service and of this process, which is generator and external system, together. */
export interface Lag {
  readonly longestMs: number;
  readonly totalMs: number;
}

/** What one fault did. */
export interface Observation {
  readonly scenario: Scenario;
  readonly outcomes: readonly Outcome[];
  readonly unspecified: readonly Outcome[];
  readonly slowestMs: number;
  /** While the fault lasted. */
  readonly callsPerRequest: number;
  /** Over the ten seconds, or as many as there were, up to the end of the fault. */
  readonly sustained: { readonly calls: number; readonly requests: number };
  readonly mostInFlight: number;
  readonly growthBytes: number;
  /** `undefined`: nothing to recover to; infinite: not within the time of the trial. */
  readonly recoveryMs: number | undefined;
  readonly leftovers: readonly string[];
  readonly lag: Lag;
  /** How the scenario's own promise was broken. */
  readonly ownPromise: string | undefined;
}

/** One service and its external system, under load from the beginning to the end. */
export class Trial {
  private constructor(
    private readonly stage: Stage,
    readonly subject: ServiceUnderTest,
    private readonly load: Load,
  ) {}

  /** Starts both and warms them up. */
  static async start({ site, env }: Pick<Scenario, 'site' | 'env'>): Promise<Trial> {
    const upstream = await ScriptedUpstream.start(site === 'tls' ? { tls: sound } : {});
    upstream.respondWith(json());
    const subject = await ServiceUnderTest.start({
      ...SETTINGS,
      EXTERNAL_SHIPPING_BASE_URL: site === 'dns' ? UNRESOLVABLE_URL : upstream.url,
      ...(site === 'tls' ? { NODE_EXTRA_CA_CERTS: authorityFile } : {}),
      ...env,
    });
    const stage = { upstream, service: subject, clients: new HostileClients(subject.url) };
    const trial = new Trial(stage, subject, new Load(subject.url, { ratePerSecond: RATE }));
    if (site !== 'dns') await trial.warmUp();
    return trial;
  }

  async play(scenario: Scenario): Promise<Observation> {
    const { load, stage, subject } = this;
    const before = await subject.measure();
    const ownDelay = monitorEventLoopDelay({ resolution: TICK_MS });
    ownDelay.enable();
    const { upstream } = stage;
    load.start();
    if (scenario.site !== 'dns') await pause(BASELINE_MS);
    upstream.maxInFlight = 0;
    const from = performance.now();
    await scenario.begin(stage);
    // What was sent while the fault was being set up may still have met health.
    const settled = performance.now();
    await pause(scenario.lastsMs ?? FAULT_MS);
    const to = performance.now();
    const mostInFlight = Math.max(upstream.maxInFlight, stage.upstream.maxInFlight);
    const counted = this.counted(upstream, from, to);
    const ownPromise = await scenario.broken?.(stage, load.between(settled, to));
    await scenario.end(stage);
    const recoveryMs = scenario.site === 'dns' ? undefined : await this.recovery(to);
    await load.stop();
    ownDelay.disable();
    const outcomes = load.between(settled, to);
    const unspecified = outcomes.filter((outcome) => !isAllowed(outcome, scenario) && !straddles(outcome, to));
    const slowestMs = Math.max(0, ...load.between(from, Infinity).map(({ sentAt, endedAt }) => endedAt - sentAt));
    const aftermath = await this.aftermath(before, ownDelay);
    return {
      scenario,
      outcomes,
      unspecified,
      slowestMs,
      mostInFlight,
      recoveryMs,
      ownPromise,
      ...counted,
      ...aftermath,
    };
  }

  /** Ends both; resolves with the exit code of the service. */
  async stop(): Promise<number | null> {
    this.stage.clients.stop();
    const code = await this.subject.stop();
    await this.stage.upstream.close();
    return code;
  }

  private async warmUp(): Promise<void> {
    this.load.start();
    await pause(WARM_UP_MS);
    await this.stage.clients.loadPage();
    await this.load.stop();
  }

  /** How long after `since` the first of an unbroken row of complete responses was sent. */
  private async recovery(since: number): Promise<number> {
    while (performance.now() < since + LONGEST_RECOVERY_MS) {
      await pause(20);
      const sent = this.load.between(since, Infinity);
      const lastBad = sent.findLastIndex(({ what, status }) => what !== 'complete' || status !== 200);
      const first = sent[lastBad + 1];
      if (first !== undefined && performance.now() > first.sentAt + STEADY_MS) return first.sentAt - since;
    }
    return Infinity;
  }

  /** Calls that the external system received, which may have been replaced by another, for requests that were sent. */
  private counted(
    first: ScriptedUpstream,
    from: number,
    to: number,
  ): Pick<Observation, 'callsPerRequest' | 'sustained'> {
    const calls = (since: number): number => callsBetween([first, this.stage.upstream], since, to);
    const requests = (since: number): number => this.load.sentBetween(since, to);
    return {
      callsPerRequest: calls(from) / Math.max(1, requests(from)),
      sustained: { calls: calls(to - BUDGET_WINDOW_MS), requests: requests(to - BUDGET_WINDOW_MS) },
    };
  }

  private async aftermath(
    before: Measurements,
    ownDelay: Delay,
  ): Promise<Pick<Observation, 'growthBytes' | 'lag' | 'leftovers'>> {
    const { inFlight, waiting } = await this.subject.settle();
    const { heapBytes, delay, warnings } = await this.subject.measure();
    const leftovers = [
      ...(inFlight > 0 ? [`${inFlight} calls in flight`] : []),
      ...(waiting > 0 ? [`${waiting} calls waiting`] : []),
      ...warnings.map((warning) => `warning ${warning}`),
      ...(this.subject.alive ? [] : ['the process ended']),
      ...(this.subject.complaints === '' ? [] : ['it wrote to stderr']),
    ];
    return { growthBytes: heapBytes - before.heapBytes, lag: lagOf(delay, ownDelay), leftovers };
  }
}

function lagOf(...delays: Delay[]): Lag {
  const sum = (lagMs: (delay: Delay) => number): number => delays.reduce((all, delay) => all + lagMs(delay), 0);
  return {
    longestMs: sum(({ max }) => max / 1e6 - TICK_MS),
    totalMs: sum(({ mean, count }) => (mean / 1e6 - TICK_MS) * count),
  };
}

/** Requests that were still open when the fault ended may be good. */
function straddles({ endedAt, what, status }: Outcome, to: number): boolean {
  return endedAt >= to && what === 'complete' && status === 200;
}

function callsBetween(upstreams: readonly ScriptedUpstream[], from: number, to: number): number {
  const calls = new Set(upstreams.flatMap((upstream) => upstream.calls));
  return [...calls].filter(({ receivedAt }) => receivedAt >= from && receivedAt <= to).length;
}
