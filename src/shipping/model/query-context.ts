import { randomUUID } from 'node:crypto';
import type { Principal } from '../../http/requests/request-state';
import { continueTrace, traceparentOf } from '../../observability/tracing/tracing';
import type { Disconnect } from '../../resilience/deadline';

/** The part of a request that its query needs: ids, the client's preference, its disconnect, and forwarded headers. */
export interface QueryContext {
  readonly requestId: string;
  readonly traceparent: string;
  /** The client prefers failures to degraded results. */
  readonly strict: boolean;
  /** Ends the call where it is aborted, as it is when the client disconnects; a job may give an `AbortSignal`. */
  readonly signal?: Disconnect;
  /** Headers of the client that go on to the external system; part of the cache key. */
  readonly forwarded?: Readonly<Record<string, string>>;
  readonly user?: Principal;
}

/** The context of a query without a request, such as that of a scheduled job. */
export function jobContext(given: Partial<Omit<QueryContext, 'requestId' | 'traceparent'>> = {}): QueryContext {
  return { strict: false, ...given, requestId: randomUUID(), traceparent: traceparentOf(continueTrace(undefined)) };
}
