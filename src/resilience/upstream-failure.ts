import { type Cause, LoggedError, titleOf } from '../common/errors';

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

/**
 * The upstream gave no usable response. A client may see `message`, which says no more than the reason; what was
 * missing or wrong stands in `what`, and as data in `causes`, for logs and spans (D81).
 */
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
  /** Why there was no connection to the upstream; `undefined` where there was one. */
  readonly unreachable: string | undefined;
  /** The status of the response, or of the one that has opened the circuit. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /**
   * Who refused the request by a status of 4xx: the external system, or the page of what stands before it, such as a
   * firewall. After a refusal, the cache serves nothing stale (D75).
   */
  readonly refusedBy: 'system' | 'page' | undefined;
  /**
   * The pause that a 429 or 403 asks for, in which the operation is not called at all (D21). A `Retry-After` of another
   * status delays no other call.
   */
  readonly pauseMs: number | undefined;

  /** @param what for logs, without a value of a record or a client: what was missing or wrong */
  constructor(
    readonly reason: FailureReason,
    readonly what: string,
    traits: FailureTraits = {},
  ) {
    super(reason === 'internal' ? 'The service failed' : `The external system failed: ${reason}`);
    Object.assign(this, traits);
  }

  /** What was missing or wrong, as log lines and spans print it. */
  get causes(): readonly Cause[] {
    return [{ what: this.what }];
  }
}

export type FailureTraits = Partial<Omit<UpstreamFailure, keyof Error | 'reason' | 'what' | 'causes'>>;

/** What a log line may say of an error: the causes of a failure, or the message of an error that is made for logs. */
export function causesOf(error: unknown): readonly Cause[] | undefined {
  if (error instanceof UpstreamFailure) return error.causes;
  return error instanceof LoggedError ? [{ what: error.message }] : undefined;
}

/** Turns an error into a failure. An error that is no `UpstreamFailure` is one of the service: `internal`. */
export function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  return new UpstreamFailure('internal', error instanceof LoggedError ? error.message : titleOf(error));
}

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

/** The result is not there yet (202), or a part of it (206, 207). */
const WITHOUT_RESULT: readonly number[] = [202, 206, 207];
const UNHEALTHY = { retryable: true, countsAgainstCircuit: true } as const;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && !WITHOUT_RESULT.includes(status);
}

/** A response that is no valid HTTP or did not arrive whole; another attempt may succeed. */
export function brokenResponse(what: string): UpstreamFailure {
  return new UpstreamFailure('bad-reply', what, UNHEALTHY);
}

/**
 * A response that arrived whole, but is of no use. It is not retried, because another attempt would get the same.
 *
 * @param what for logs, without a value of a record or a client: what was missing or wrong
 */
export function wrongShape(what: string): UpstreamFailure {
  return new UpstreamFailure('bad-reply', what);
}

/**
 * @param isOurDelay whether the response waited for this process: such a time-out is not retried, and does not count
 * for the circuit (D57)
 */
export function timedOut(what = 'no response', isOurDelay = false): UpstreamFailure {
  return new UpstreamFailure('upstream-timeout', `time-out: ${what}`, isOurDelay ? {} : UNHEALTHY);
}

/** @param phase of opening a connection, which took longer than `time` */
export function notConnected(phase: string, time: string): UpstreamFailure {
  const what = `time-out: no ${phase} within ${time}`;
  return new UpstreamFailure('upstream-timeout', what, { ...UNHEALTHY, unreachable: what });
}

/** @param code the error code of the connection */
export function noConnection(code: string): UpstreamFailure {
  return new UpstreamFailure('upstream-unreachable', `no connection: ${code}`, { ...UNHEALTHY, unreachable: code });
}

/**
 * A connection that ended before the first byte of a response. By `connectionLost`, the call policy repeats the first
 * attempt of a call once on a new connection (D61).
 */
export function connectionLost(code: string): UpstreamFailure {
  const traits = { ...UNHEALTHY, connectionLost: true, unreachable: code };
  return new UpstreamFailure('upstream-unreachable', `connection lost: ${code}`, traits);
}

/**
 * The reason of a failed status. It is `bad-reply` for a redirect, which is not followed, and for a success without the
 * whole result.
 */
export function reasonOfStatus(status: number): 'bad-reply' | 'upstream-error' {
  return WITHOUT_RESULT.includes(status) || (status >= 300 && status < 400) ? 'bad-reply' : 'upstream-error';
}

const SECONDS = /^\d{1,10}$/;
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The milliseconds of a `Retry-After` header: seconds, or a date as RFC 9110 writes it. Other forms are ignored, since
 * `Date.parse` reads nearly everything, in the zone of this machine.
 *
 * @param header `undefined`, or a list where the header came more than once, is no wait
 * @param date the `Date` header of the same response: clocks differ, so that a date is read against it (D21)
 */
export function retryAfterMs(header: unknown, date: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  if (SECONDS.test(value)) return 1000 * Number(value);
  const wait = timeOf(value) - (timeOf(date) || Date.now());
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function timeOf(date: unknown): number {
  return typeof date === 'string' && DATE.test(date) ? Date.parse(date) : NaN;
}

/** The longest pause of an operation or of the token endpoint, however long its `Retry-After` is (D21, D35). */
export const MAX_PAUSE_MS = 60_000;

/**
 * A 403 with `Retry-After` is a rate limit as a 429 is, and no refusal of what a client asked for (D21, D57). A 404
 * says nothing about the client: a path is wrong.
 *
 * @param page what answered, where it was not the external system itself
 */
export function failedStatus(status: number, waitMs?: number, page?: PageInstead): UpstreamFailure {
  const isPaused = status === 403 && waitMs !== undefined;
  const isRateLimit = status === 429 || isPaused;
  // A status that says that the request is wrong. 408 does not: like a 5xx, it shows an unhealthy upstream.
  const isRefusal = status >= 400 && status < 500 && status !== 408 && !isRateLimit;
  const isUnhealthy = status >= 400 && !isRefusal;
  const pauseMs = isRateLimit && waitMs ? Math.min(waitMs, MAX_PAUSE_MS) : undefined;
  const refuser = status === 403 && page?.isHtml === true ? 'page' : 'system';
  const refusedBy = isRefusal && status !== 404 ? refuser : undefined;
  const traits = { ...(isUnhealthy && UNHEALTHY), status, retryAfterMs: waitMs, pauseMs, refusedBy } as const;
  const named = [`status ${status}${isPaused ? ' with Retry-After' : ''}`, page?.description];
  return new UpstreamFailure(reasonOfStatus(status), named.filter(Boolean).join(', '), traits);
}

/** A body that is neither empty nor JSON, in place of a response of the external system itself. */
export interface PageInstead {
  /** The content type, for logs. */
  readonly description: string;
  readonly isHtml: boolean;
}

/** What the call policy reads of a response. */
export interface StatusAndHeaders {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

export function failedResponse({ status, headers }: StatusAndHeaders, page?: PageInstead): UpstreamFailure {
  return failedStatus(status, retryAfterMs(headers['retry-after'], headers.date), page);
}

/** The failure of a status after which another attempt may succeed; `undefined` for every other status. */
export function failureOfStatus(response: StatusAndHeaders): UpstreamFailure | undefined {
  if (response.status < 400) return undefined;
  const failure = failedResponse(response);
  return failure.retryable ? failure : undefined;
}
