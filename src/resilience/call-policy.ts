import { Call, type CallObserver, type CallPolicySettings, type CallResources } from './call';
import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import { ConcurrencyLimit } from './concurrency-limit';
import type { Signal } from './deadline';
import { RetryBudget } from './rolling-count';

/** Makes calls with deadlines, retries, a circuit breaker for each operation, and a limit of requests in flight. */
export class CallPolicy {
  private readonly circuits = new Map<string, CircuitBreaker>();
  private readonly resources: CallResources;

  constructor(settings: CallPolicySettings, observer: CallObserver) {
    this.resources = { settings, observer, limit: new ConcurrencyLimit(settings), budget: new RetryBudget() };
  }

  /** The state of each operation's circuit, by the name of the operation, and how many calls are in flight and wait. */
  get state(): { circuits: Record<string, CircuitState>; inFlight: number; waiting: number } {
    const now = performance.now();
    const { limit } = this.resources;
    const circuits = [...this.circuits].map(([operation, circuit]) => [operation, circuit.stateAt(now)] as const);
    return { circuits: Object.fromEntries(circuits), inFlight: limit.inFlight, waiting: limit.waiting };
  }

  /**
   * Makes a call, whose requests `use` sends by {@link Call.request}.
   *
   * @throws UpstreamFailure; ClientDisconnectedError; any other error of `use`, unchanged
   */
  execute<Result>(operation: string, use: (call: Call) => Promise<Result>, client?: Signal): Promise<Result> {
    let circuit = this.circuits.get(operation);
    if (circuit === undefined) {
      circuit = new CircuitBreaker(this.resources.settings.breakerOpenMs);
      this.circuits.set(operation, circuit);
    }
    return new Call(operation, circuit, this.resources, client).run(use);
  }
}
