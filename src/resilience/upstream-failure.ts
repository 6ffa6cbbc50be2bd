/** The reasons that clients see (D20). `internal` is an error of the service itself. */
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
  /**
   * Whether the failure shows an unhealthy upstream. Others do not count for the circuit, because a client can cause
   * them by what it requests, and must not open the circuit for everybody (D57).
   */
  readonly countsAgainstCircuit: boolean = false;
  /** Whether the connection ended before a status line, so that the request is sent once more (D61). */
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
 * One error for all clients. An error keeps the objects of its stack in memory, here a closed connection with its
 * unsent responses, and undici keeps the error while its request waits for a connection: with an error for each client,
 * the memory could fill.
 */
export const CLIENT_DISCONNECTED = new ClientDisconnectedError();

export type CallOutcome = 'success' | 'caller-left' | FailureReason;

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
