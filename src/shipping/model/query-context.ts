import { randomUUID } from 'node:crypto';
import type { Principal } from '../../http/requests/request-state';
import { continueTrace, traceparentOf } from '../../observability/tracing/trace-context';

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
  /**
   * Headers of the client that are sent on to the external system. Clients with other values share no cached result.
   */
  readonly forwarded?: Readonly<Record<string, string>>;
  readonly user?: Principal;
}

/** The context of a query without a request, such as that of a scheduled job. */
export function jobContext(given: Partial<Omit<QueryContext, 'requestId' | 'traceparent'>> = {}): QueryContext {
  return { strict: false, ...given, requestId: randomUUID(), traceparent: traceparentOf(continueTrace(undefined)) };
}
