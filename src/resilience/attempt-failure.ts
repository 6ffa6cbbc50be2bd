import { UpstreamFailure } from './upstream-failure';

/** What the call policy needs to know about a failed attempt besides its reason. */
export interface AttemptFailureTraits {
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** Whether the failure shows that the upstream is unhealthy: 5xx, 429, transport, time-out, bad response; not other 4xx. */
  readonly countsAgainstCircuit: boolean;
  /** A kept-alive connection was found dead before any response. Default: `false`. */
  readonly deadConnection?: boolean;
  /** From `Retry-After`, in milliseconds from now. */
  readonly retryAfterMs?: number;
}

/** One attempt to call the upstream failed. */
export class AttemptFailure extends UpstreamFailure {
  override readonly name = 'AttemptFailure';
  readonly retryable: boolean;
  readonly countsAgainstCircuit: boolean;
  readonly deadConnection: boolean;

  constructor(reason: UpstreamFailure['reason'], message: string, traits: AttemptFailureTraits) {
    super(reason, message, traits.retryAfterMs);
    this.retryable = traits.retryable;
    this.countsAgainstCircuit = traits.countsAgainstCircuit;
    this.deadConnection = traits.deadConnection ?? false;
  }
}
