/** `internal`: an error of the service itself. */
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

export interface FailureTraits {
  /** Another attempt may succeed. */
  readonly retryable?: boolean;
  /** The upstream is unhealthy. Other failures count neither way, because a client can choose them. */
  readonly countsAgainstCircuit?: boolean;
  /** The connection ended before a status line. */
  readonly connectionLost?: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/** The upstream gave no usable response. `message` is for logs, without data of clients; clients see the reason. */
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

/** The client disconnected before its response. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';

  constructor() {
    super('the client disconnected before the call ended');
  }
}

export type CallOutcome = 'success' | 'caller-left' | FailureReason;

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
