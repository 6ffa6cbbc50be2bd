import { AbortEmitter } from '../common/abort-emitter';
import { CircuitBreaker, type AttemptResult, type CircuitState, type Permit } from './circuit-breaker';
import { ConcurrencyLimit, type ConcurrencyLimitSettings } from './concurrency-limit';
import { startDeadline } from './deadline';
import { timedOut } from './http-failures';
import { backoff, RetryBudget } from './retries';
import { ClientDisconnectedError, outcomeOf, UpstreamFailure, type CallOutcome } from './upstream-failure';

/** The longest wait for a slot. */
const QUEUE_TIMEOUT_MS = 1000;

/** Times are in milliseconds, from 1 to 2147483647, the longest time of a timer. */
export interface CallPolicySettings extends ConcurrencyLimitSettings {
  /** The whole call, retries and waits included. */
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** The first attempt included. */
  readonly maxAttempts: number;
  /** How long a circuit is open at first. */
  readonly breakerOpenMs: number;
}

/** `connection-replaced`: an attempt was sent again, because its connection was lost before a response. */
export const POLICY_EVENTS = ['retried', 'connection-replaced', 'refused-circuit-open', 'refused-saturated'] as const;
export type PolicyEvent = (typeof POLICY_EVENTS)[number];

/** Port: what happens in the call policy, for metrics. Durations are in milliseconds. */
export interface CallObserver {
  attemptSettled(outcome: CallOutcome, durationMs: number): void;
  /** An attempt that had to queue acquired its slot or gave up waiting. */
  queued(waitMs: number): void;
  event(event: PolicyEvent): void;
}

/**
 * One attempt to call the upstream. It must settle soon after its signal emits `abort`: until then it holds its slot.
 *
 * @param onNewConnection whether it must not use a connection that is open already
 */
export type Attempt<T> = (signal: AbortEmitter, onNewConnection: boolean) => Promise<T>;

/** Attempts in flight, those that wait for a slot, and circuits. */
export interface CallPolicyState {
  /** The state of the circuit of each operation that was called. */
  readonly circuits: Readonly<Record<string, CircuitState>>;
  readonly inFlight: number;
  readonly waiting: number;
}

/** What the attempts of one call share. */
interface Call<T> {
  readonly attempt: Attempt<T>;
  readonly circuit: CircuitBreaker;
  /** Emits `abort` when the client disconnects. */
  readonly client: AbortEmitter | undefined;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Attempts that were sent to the upstream. */
  attempts: number;
}

/**
 * How an upstream is called. For each attempt: circuit breaker, wait for a slot, deadline. Attempts that fail are retried
 * within the deadline of the call and a budget.
 */
export class CallPolicy {
  private readonly budget = new RetryBudget();
  /** One for each operation, so that one failing operation does not refuse the others. */
  private readonly circuits = new Map<string, CircuitBreaker>();
  private readonly limit: ConcurrencyLimit;

  constructor(
    private readonly settings: CallPolicySettings,
    private readonly observer: CallObserver,
  ) {
    this.limit = new ConcurrencyLimit(settings);
  }

  get state(): CallPolicyState {
    const circuits = Object.fromEntries([...this.circuits].map(([operation, { state }]) => [operation, state]));
    return { circuits, inFlight: this.limit.inFlight, waiting: this.limit.waiting };
  }

  /**
   * Makes a call. Settles within its deadline, and as soon as its client disconnects, whatever the attempts do.
   *
   * @param operation calls of one operation share a circuit breaker
   * @throws UpstreamFailure; ClientDisconnectedError; any other error of `attempt`, unchanged
   */
  async execute<T>(operation: string, attempt: Attempt<T>, client?: AbortEmitter): Promise<T> {
    if (client?.aborted === true) throw new ClientDisconnectedError();
    const deadline = performance.now() + this.settings.timeoutMs;
    const call: Call<T> = { attempt, circuit: this.circuitOf(operation), client, deadline, attempts: 0 };
    let failure: UpstreamFailure | undefined;
    for (;;) {
      try {
        return await this.attempt(call);
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error;
        if (error.reason === 'circuit-open' || error.reason === 'saturated') {
          this.observer.event(`refused-${error.reason}`);
          throw failure ?? error;
        }
        failure = error;
      }
      const waitMs = this.waitBeforeRetry(failure, call);
      if (waitMs === undefined) throw failure;
      this.observer.event('retried');
      await pause(waitMs, client);
    }
  }

  private circuitOf(operation: string): CircuitBreaker {
    let circuit = this.circuits.get(operation);
    if (circuit === undefined) {
      circuit = new CircuitBreaker(this.settings.breakerOpenMs);
      this.circuits.set(operation, circuit);
    }
    return circuit;
  }

  private async attempt<T>(call: Call<T>): Promise<T> {
    const permit = await this.acquire(call);
    const { circuit } = call;
    const startedAt = performance.now();
    if (call.attempts === 0) this.budget.countCall(startedAt);
    call.attempts += 1;
    const settle = (result: AttemptResult, outcome: CallOutcome): void => {
      const now = performance.now();
      circuit.settle(permit, result, now);
      this.observer.attemptSettled(outcome, now - startedAt);
    };
    try {
      const value = await this.untilDeadline(call);
      settle('success', 'success');
      return value;
    } catch (error) {
      const isUnhealthy = error instanceof UpstreamFailure && error.countsAgainstCircuit;
      settle(isUnhealthy ? 'failure' : 'none', outcomeOf(error));
      throw error;
    }
  }

  /** Acquires a slot and a permit. While the circuit is open it refuses at once, so that such calls cost little. */
  private async acquire({ circuit, client, deadline }: Call<unknown>): Promise<Permit> {
    const since = performance.now();
    circuit.throwIfRefusing(since);
    const queued = this.limit.acquire(Math.min(QUEUE_TIMEOUT_MS, deadline - since), client);
    await queued?.finally(() => {
      this.observer.queued(performance.now() - since);
    });
    try {
      if (client?.aborted === true) throw new ClientDisconnectedError();
      if (performance.now() >= deadline) throw timedOut();
      // The circuit may have opened during the wait.
      return circuit.acquire(performance.now());
    } catch (error) {
      this.limit.release();
      throw error;
    }
  }

  /** Settles at the deadline, or when the client disconnects; the slot is held until the attempt itself has settled. */
  private untilDeadline<T>(call: Call<T>): Promise<T> {
    const { client } = call;
    const signal = new AbortEmitter();
    const work = this.send(call, signal);
    const ms = Math.min(this.settings.attemptTimeoutMs, call.deadline - performance.now());
    return new Promise<T>((resolve, reject) => {
      const stop = (): void => {
        endDeadline();
        client?.off('abort', onDisconnect);
      };
      const fail = (error: unknown): void => {
        stop();
        // Rejects with what was thrown, error or not.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
        // An attempt that has failed sends no further request.
        signal.abort();
      };
      const onDisconnect = (): void => {
        fail(new ClientDisconnectedError());
      };
      const endDeadline = startDeadline(ms, () => {
        fail(timedOut());
      });
      client?.on('abort', onDisconnect);
      work.then(
        (value) => {
          this.limit.release();
          stop();
          resolve(value);
        },
        (error: unknown) => {
          this.limit.release();
          fail(error);
        },
      );
    });
  }

  /** The first attempt of a call whose connection was lost before a response is made once more, on another connection. */
  private async send<T>({ attempt, attempts }: Call<T>, signal: AbortEmitter): Promise<T> {
    try {
      return await attempt(signal, false);
    } catch (error) {
      const isLost = error instanceof UpstreamFailure && error.connectionLost;
      if (!isLost || attempts > 1 || signal.aborted) throw error;
      this.observer.event('connection-replaced');
      return attempt(signal, true);
    }
  }

  /** @returns milliseconds; `undefined` where no retry is possible */
  private waitBeforeRetry(failure: UpstreamFailure, call: Call<unknown>): number | undefined {
    const { attempts, circuit, deadline } = call;
    const now = performance.now();
    const waitMs = backoff(attempts - 1, Math.random(), failure.retryAfterMs);
    const isPossible =
      failure.retryable &&
      attempts < this.settings.maxAttempts &&
      now + waitMs < deadline &&
      circuit.canAcquire(now + waitMs) &&
      this.budget.tryTake(now);
    return isPossible ? waitMs : undefined;
  }
}

/** @throws ClientDisconnectedError as soon as the client disconnects */
function pause(ms: number, client: AbortEmitter | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDisconnect = (): void => {
      clearTimeout(timer);
      reject(new ClientDisconnectedError());
    };
    const timer = setTimeout(() => {
      client?.off('abort', onDisconnect);
      resolve();
    }, ms);
    client?.once('abort', onDisconnect);
  });
}
