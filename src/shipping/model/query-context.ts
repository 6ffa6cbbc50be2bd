import { randomUUID } from 'node:crypto';
import type { Principal } from '../../http/requests/request-record';
import { continueTrace, traceparentOf } from '../../observability/tracing/trace-context';
import type { Signal } from '../../resilience/deadline';
import type { ResultReport } from './result-report';

/**
 * The part of a request that the handler of its query needs: ids, the client's preference and disconnect, forwarded
 * headers.
 */
export interface QueryContext {
  readonly requestId: string;
  readonly traceparent: string;
  /**
   * Whether the client wants an error instead of an empty list where the external system fails (`Prefer:
   * handling=strict`).
   */
  readonly strict: boolean;
  /**
   * Ends the upstream call when it is aborted. In a request, it is aborted when the client disconnects. A scheduled
   * job, which has no client, may give an `AbortSignal`.
   */
  readonly signal?: AbortSignal;
  /** The same as `signal` in a request, as an object that costs nothing to make. */
  readonly client?: Signal;
  /**
   * Headers of the client that are sent on to the external system. Clients with other values share no cached result.
   */
  readonly forwarded?: Readonly<Record<string, string>>;
  readonly user?: Principal;
  /** Where the gateway reports what it finds, for the response to the request; `undefined` without a request. */
  readonly report?: ResultReport;
}

type JobOptions = Partial<Omit<QueryContext, 'requestId' | 'traceparent' | 'client' | 'report'>>;

/** The context of a query without a request, such as that of a scheduled job: only its result says how complete it is. */
export function jobContext(given: JobOptions = {}): QueryContext {
  return { strict: false, ...given, requestId: randomUUID(), traceparent: traceparentOf(continueTrace(undefined)) };
}
