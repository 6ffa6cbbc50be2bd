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

/** The upstream gave no usable response. `message` is for logs, without data of clients; clients see the reason. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  /** Whether another attempt may succeed. */
  readonly retryable: boolean = false;
  /** The upstream is unhealthy. Other failures count neither way, because a client can choose them. */
  readonly countsAgainstCircuit: boolean = false;
  /** The connection ended before a status line. */
  readonly connectionLost: boolean = false;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly reason: Exclude<FailureReason, 'internal'>,
    message: string,
    traits: FailureTraits = {},
  ) {
    super(message);
    Object.assign(this, traits);
  }
}

type Trait = 'retryable' | 'countsAgainstCircuit' | 'connectionLost' | 'status' | 'retryAfterMs';
export type FailureTraits = Partial<Pick<UpstreamFailure, Trait>>;

/** The client disconnected before its response. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

/**
 * One error for all clients: V8 keeps the objects on the stack of an error as long as the error, here the connection
 * that was closed with all its unsent responses, while undici keeps a request that cannot be sent yet with its reason.
 */
export const CLIENT_DISCONNECTED = new ClientDisconnectedError();

export type CallOutcome = 'success' | 'caller-left' | FailureReason;

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
