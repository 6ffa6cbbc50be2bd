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

/** How the call policy and the cache treat a failure. */
export interface FailureTraits {
  /** Whether another attempt may succeed. Default: `false`. */
  readonly retryable?: boolean;
  /**
   * Whether it shows that the upstream is unhealthy: a time-out, a transport error, a truncated body, 5xx, 408 or 429.
   * Others count neither way, because a client can choose them. Default: `false`.
   */
  readonly countsAgainstCircuit?: boolean;
  /** The connection was closed or reset before a status line. Default: `false`. */
  readonly connectionLost?: boolean;
  /** The status of an `upstream-error`; `undefined` for the page of a proxy. */
  readonly status?: number;
  /** When another try may succeed, in milliseconds from now; `undefined` where unknown. */
  readonly retryAfterMs?: number;
}

/**
 * The upstream gave no usable response.
 *
 * `message` is for logs and holds no host, path, parameter or credential; clients see only the {@link reason}.
 */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly retryable: boolean;
  readonly countsAgainstCircuit: boolean;
  readonly connectionLost: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly reason: Exclude<FailureReason, 'internal'>,
    message: string,
    traits: FailureTraits = {},
  ) {
    super(message);
    this.retryable = traits.retryable ?? false;
    this.countsAgainstCircuit = traits.countsAgainstCircuit ?? false;
    this.connectionLost = traits.connectionLost ?? false;
    this.status = traits.status;
    this.retryAfterMs = traits.retryAfterMs;
  }
}

/** The client disconnected before its response. No metric counts this as a failure of the upstream. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';

  constructor() {
    super('the client disconnected before the call ended');
  }
}

/** How a call or an attempt ended, as a label: bounded, without the message of an error. */
export type CallOutcome = 'success' | 'caller-left' | FailureReason;

/** The outcome of a call that failed. */
export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
