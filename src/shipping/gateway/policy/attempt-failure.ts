import { ExternalSystemFailure } from '../../model/external-system-failure';

/** What the policy has to know about a failed attempt, beside its reason. */
export interface AttemptFailureTraits {
  /** Whether another attempt may succeed where this one failed. */
  readonly retryable: boolean;
  /** Whether it says that the external system is unwell: 5xx, 429, transport, time-out, bad reply; not other 4xx. */
  readonly countsAgainstCircuit: boolean;
  /** A kept-alive connection found dead before any answer. Default: `false`. */
  readonly deadConnection?: boolean;
  /** From `Retry-After`, in milliseconds from now. */
  readonly retryAfterMs?: number;
}

/** How one attempt at the external system failed. */
export class AttemptFailure extends ExternalSystemFailure {
  override readonly name = 'AttemptFailure';
  readonly retryable: boolean;
  readonly countsAgainstCircuit: boolean;
  readonly deadConnection: boolean;

  constructor(reason: ExternalSystemFailure['reason'], message: string, traits: AttemptFailureTraits) {
    super(reason, message, traits.retryAfterMs);
    this.retryable = traits.retryable;
    this.countsAgainstCircuit = traits.countsAgainstCircuit;
    this.deadConnection = traits.deadConnection ?? false;
  }
}
