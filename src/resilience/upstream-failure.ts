/**
 * Why a response is not complete, or why it is an error: clients see the reason in `Shipping-Completeness` or in the
 * body of the error (D20). `internal` is an error of the service itself.
 */
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
  /**
   * Whether the connection ended before the first byte of a response. In the first attempt of a call, the call policy
   * then repeats the attempt once on a new connection (D61).
   */
  readonly connectionLost: boolean = false;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /**
   * The pause that a 429 asks for, in which the operation is not called at all (D21). A `Retry-After` of another status
   * delays no other call.
   */
  readonly pauseMs: number | undefined;

  constructor(
    readonly reason: FailureReason,
    message: string,
    traits: FailureTraits = {},
  ) {
    super(message);
    Object.assign(this, traits);
  }
}

type Trait = 'retryable' | 'countsAgainstCircuit' | 'connectionLost' | 'status' | 'retryAfterMs' | 'pauseMs';
export type FailureTraits = Partial<Pick<UpstreamFailure, Trait>>;

/** The client disconnected before its response. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

/**
 * One error object for all clients that disconnect. An error of its own for each would keep the objects of its call
 * stack in memory, among them the closed connection with its unsent responses. undici keeps the error as long as its
 * request waits for a connection, so that the memory could fill.
 */
export const CLIENT_DISCONNECTED = new ClientDisconnectedError();

export type CallOutcome = 'success' | 'caller-left' | FailureReason;

export function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof UpstreamFailure) return error.reason;
  return error instanceof ClientDisconnectedError ? 'caller-left' : 'internal';
}
