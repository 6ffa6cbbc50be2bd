/** Why the upstream gave no usable response; `internal`: an error of the service itself. */
export const FAILURE_REASONS = [
  'upstream-timeout',
  'upstream-unreachable',
  'upstream-error',
  'bad-reply',
  'circuit-open',
  'saturated',
  'internal',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * The upstream gave no usable response.
 *
 * `message` is for logs and holds no host, path, parameter or credential; clients see only the {@link reason}.
 */
export class UpstreamFailure extends Error {
  override readonly name: string = 'UpstreamFailure';

  constructor(
    readonly reason: Exclude<FailureReason, 'internal'>,
    message: string,
    /** When another try may succeed, in milliseconds from now; `undefined` where unknown. */
    readonly retryAfterMs?: number,
    /** The status of an `upstream-error` that the external system itself gave; `undefined` for the page of a proxy. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** What the call policy needs to know about a failed attempt besides its reason. */
export interface AttemptFailureTraits {
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** Whether the failure shows that the upstream is unhealthy (D57): 5xx, 408, 429, transport, time-out, truncated body. Others count neither way. */
  readonly countsAgainstCircuit: boolean;
  /** A kept-alive connection was found dead before any response. Default: `false`. */
  readonly deadConnection?: boolean;
  /** From `Retry-After`, in milliseconds from now. */
  readonly retryAfterMs?: number;
  readonly status?: number;
}

/** One attempt to call the upstream failed. */
export class AttemptFailure extends UpstreamFailure {
  override readonly name = 'AttemptFailure';
  readonly retryable: boolean;
  readonly countsAgainstCircuit: boolean;
  readonly deadConnection: boolean;

  constructor(reason: UpstreamFailure['reason'], message: string, traits: AttemptFailureTraits) {
    super(reason, message, traits.retryAfterMs, traits.status);
    this.retryable = traits.retryable;
    this.countsAgainstCircuit = traits.countsAgainstCircuit;
    this.deadConnection = traits.deadConnection ?? false;
  }
}

/** The client disconnected before its response. No metric counts this as a failure of the upstream. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';

  constructor() {
    super('the client disconnected before the call ended');
  }
}

/** The outcome of a failed call as a label: bounded, without the message of the error. */
export function outcomeOf(error: unknown): FailureReason | 'caller-left' {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
