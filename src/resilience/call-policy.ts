import { type EventLoopUtilization, performance as nodePerformance } from 'node:perf_hooks';
import { backoff, RetryBudget } from './backoff-and-budget';
import { type AttemptResult, CircuitBreaker, type CircuitState } from './circuit-breaker';
import { ConcurrencyLimit, type ConcurrencyLimitSettings } from './concurrency-limit';
import { type AttemptSignal, startDeadline } from './deadline';
import { RollingCount } from './rolling-count';
import {
  type CallOutcome,
  CLIENT_DISCONNECTED,
  notConnected,
  outcomeOf,
  timedOut,
  UpstreamFailure,
} from './upstream-failure';

export interface CallPolicySettings extends ConcurrencyLimitSettings {
  /** Deadline of a call in milliseconds, retries and waits included. */
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly maxAttempts: number;
  readonly breakerOpenMs: number;
}

/**
 * If this process was busy for this share of the time of an attempt, a response that is incomplete at the deadline is
 * put down to the process: it does not count against the upstream.
 */
const BUSY_SHARE = 0.5;

export const POLICY_EVENTS = ['retried', 'connection-replaced', 'refused-circuit-open', 'refused-saturated'] as const;
export type PolicyEvent = (typeof POLICY_EVENTS)[number];

/** Receives the measurements of calls, for example to make metrics of them; the call policy itself has no metrics. */
export interface CallObserver {
  attemptSettled(outcome: CallOutcome, durationMs: number): void;
  queued(waitMs: number): void;
  event(event: PolicyEvent): void;
}

/**
 * One attempt of a call, which sends one or more requests to the upstream. When its deadline passes, `signal` is
 * aborted. The attempt must then send nothing more, because it no longer counts as in flight, and another call may
 * begin. With `onNewConnection` it must not use a connection that is open already.
 */
export type Attempt<T> = (signal: AttemptSignal, onNewConnection: boolean) => Promise<T>;

export interface CallPolicyState {
  /** The state of each operation's circuit, by the name of the operation. */
  readonly circuits: Readonly<Record<string, CircuitState>>;
  readonly inFlight: number;
  readonly waiting: number;
}

interface Call<T> {
  readonly operation: string;
  readonly attempt: Attempt<T>;
  readonly circuit: CircuitBreaker;
  readonly client: AbortSignal | undefined;
  readonly deadline: number;
  /** Number of attempts that have begun. */
  attempts: number;
}

/** Makes calls with deadlines, retries, a circuit breaker for each operation, and a limit of calls in flight. */
export class CallPolicy {
  private readonly calls = new RollingCount();
  private readonly budget = new RetryBudget(this.calls);
  private readonly circuits = new Map<string, CircuitBreaker>();
  private readonly limit: ConcurrencyLimit;

  constructor(
    private readonly settings: CallPolicySettings,
    private readonly observer: CallObserver,
  ) {
    this.limit = new ConcurrencyLimit(settings);
  }

  get state(): CallPolicyState {
    const now = performance.now();
    const circuits = [...this.circuits].map(([operation, circuit]) => [operation, circuit.stateAt(now)] as const);
    return { circuits: Object.fromEntries(circuits), inFlight: this.limit.inFlight, waiting: this.limit.waiting };
  }

  /**
   * Makes a call, which settles within its deadline and when its client disconnects, whatever the attempts do.
   *
   * @throws UpstreamFailure; ClientDisconnectedError; any other error of `attempt`, unchanged
   */
  async execute<T>(operation: string, attempt: Attempt<T>, client?: AbortSignal): Promise<T> {
    const deadline = performance.now() + this.settings.timeoutMs;
    const circuit = this.circuits.get(operation) ?? new CircuitBreaker(this.settings.breakerOpenMs);
    this.circuits.set(operation, circuit);
    const call: Call<T> = { operation, attempt, circuit, client, deadline, attempts: 0 };
    let failure: UpstreamFailure | undefined;
    for (;;) {
      try {
        return await this.attemptInSlot(call);
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error;
        if (error.reason === 'circuit-open' || error.reason === 'saturated') {
          this.observer.event(`refused-${error.reason}`);
          throw failure ?? error;
        }
        failure = error;
      }
      const retryAt = this.timeOfRetry(failure, call);
      if (retryAt === undefined) throw failure;
      this.observer.event('retried');
      await waitUntil(retryAt, client);
    }
  }

  /** Makes one attempt, as soon as the limit of calls in flight has a slot for it. */
  private async attemptInSlot<T>(call: Call<T>): Promise<T> {
    const { operation, circuit, client, deadline } = call;
    const since = performance.now();
    throwIfDisconnected(client);
    circuit.throwIfRefusing(since);
    const wait = this.limit.acquire(operation, deadline - since, client);
    await wait?.finally(() => {
      this.observer.queued(performance.now() - since);
    });
    try {
      throwIfDisconnected(client);
      if (performance.now() >= deadline) throw timedOut('no slot before the deadline of the call');
      return await this.countedAttempt(call);
    } finally {
      this.limit.release(operation);
    }
  }

  /** Makes an attempt, whose result the circuit and the observer get. */
  private async countedAttempt<T>(call: Call<T>): Promise<T> {
    const startedAt = performance.now();
    // The circuit may have opened while the call waited for its slot; `acquire` then throws.
    const permit = call.circuit.acquire(startedAt);
    if (call.attempts === 0) this.calls.add(startedAt);
    call.attempts += 1;
    let result: AttemptResult = 'success';
    let outcome: CallOutcome = 'success';
    try {
      return await this.attemptUntilDeadline(call);
    } catch (error) {
      result = error instanceof UpstreamFailure && error.countsAgainstCircuit ? error : 'none';
      outcome = outcomeOf(error);
      throw error;
    } finally {
      const now = performance.now();
      call.circuit.settle(permit, result, now);
      this.observer.attemptSettled(outcome, now - startedAt);
    }
  }

  private attemptUntilDeadline<T>(call: Call<T>): Promise<T> {
    const { circuit, client, deadline } = call;
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const fail = (error: unknown): void => {
        endDeadline();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what is thrown may be no error
        reject(error);
        // Aborts the request that the attempt may still have in flight, and keeps it from sending others.
        controller.abort(error);
      };
      const start = (pauseMs: number): (() => void) => {
        const attemptMs = pauseMs + this.settings.attemptTimeoutMs;
        const ms = Math.min(attemptMs, deadline - performance.now());
        const utilization = nodePerformance.eventLoopUtilization();
        return startDeadline(ms, client, (error) => {
          fail(error ?? this.timeOut(ms, ms < attemptMs, signal, utilization));
        });
      };
      const signal: AttemptSignal = Object.assign(controller.signal, {
        waitsFor: 'response' as const,
        throwIfPaused: () => {
          circuit.throwIfPaused(performance.now());
        },
        restartDeadline: (pauseMs: number) => {
          if (signal.aborted) return;
          endDeadline();
          endDeadline = start(pauseMs);
        },
      });
      let endDeadline = start(0);
      this.makeAttempt(call, signal).then((value) => {
        endDeadline();
        resolve(value);
      }, fail);
    });
  }

  /**
   * Makes the attempt. If the first attempt of a call loses its connection before the response begins, it is repeated
   * at once on a new connection: an upstream that restarts closes its open connections, and no client should get an
   * error for that (D61).
   */
  private async makeAttempt<T>({ attempt, attempts }: Call<T>, signal: AttemptSignal): Promise<T> {
    try {
      return await attempt(signal, false);
    } catch (error) {
      const isLost = error instanceof UpstreamFailure && error.connectionLost;
      if (!isLost || attempts > 1 || signal.aborted) throw error;
      this.observer.event('connection-replaced');
      return await attempt(signal, true);
    }
  }

  /**
   * The failure of an attempt whose deadline passed. A response that had arrived whole was only waiting for this
   * process, and so was one that the process did not read. One that had arrived in part may have been, if the process
   * was busy for half of the time. In these cases the failure is not retried and does not count against the upstream
   * (D57).
   */
  private timeOut(ms: number, isOfCall: boolean, signal: AttemptSignal, since: EventLoopUtilization): UpstreamFailure {
    const { waitsFor } = signal;
    const { timeoutMs, attemptTimeoutMs } = this.settings;
    const time = isOfCall ? `the ${timeoutMs} ms of the call` : `${attemptTimeoutMs} ms`;
    if (waitsFor === 'reading') return timedOut(`too many large responses to read this one within ${time}`, true);
    if (waitsFor === 'pause') return timedOut(`no end of the pause before the next request within ${time}`, true);
    if (waitsFor === 'processing') return timedOut(`the response arrived, and was not processed within ${time}`, true);
    if (waitsFor === 'rest') {
      const isBusy = nodePerformance.eventLoopUtilization(since).active >= BUSY_SHARE * ms;
      return timedOut(`response incomplete after ${time}`, isBusy);
    }
    if (typeof waitsFor === 'object') return notConnected(waitsFor.phase, time);
    return timedOut(`no ${waitsFor} within ${time}`);
  }

  /** @returns when the next attempt is made; `undefined` where no retry is possible */
  private timeOfRetry(failure: UpstreamFailure, call: Call<unknown>): number | undefined {
    const { attempts, circuit, deadline } = call;
    if (!failure.retryable || attempts >= this.settings.maxAttempts) return undefined;
    const now = performance.now();
    const retryAt = now + backoff(attempts - 1, Math.random(), failure.retryAfterMs);
    const isInTime = retryAt < deadline && circuit.canAcquire(retryAt);
    return isInTime && this.budget.tryTake(now) ? retryAt : undefined;
  }
}

/** @throws ClientDisconnectedError */
function throwIfDisconnected(client: AbortSignal | undefined): void {
  if (client?.aborted === true) throw CLIENT_DISCONNECTED;
}

/**
 * Waits. A timer of Node may fire some milliseconds early, and the circuit would then refuse a call that has waited for
 * the end of a pause.
 *
 * @throws ClientDisconnectedError as soon as the client disconnects
 */
async function waitUntil(time: number, client: AbortSignal | undefined): Promise<void> {
  for (let ms = time - performance.now(); ms > 0; ms = time - performance.now()) {
    await new Promise<void>((resolve, reject) => {
      startDeadline(ms, client, (error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }
}
