import type { AbortEmitter } from '../../common/abort-emitter';
import { randomUUID } from 'node:crypto';
import type { Principal } from '../../http/requests/request-state';
import { continueTrace, traceparentOf } from '../../observability/tracing/trace-context';

/** The facts about its request that a query needs. It is made once, from the headers. */
export interface QueryContext {
  readonly requestId: string;
  readonly traceparent: string;
  /** Whether the client prefers failures to degraded results (`Prefer: handling=strict`). */
  readonly strict: boolean;
  /** Aborted when the client disconnects before its response. */
  readonly signal?: AbortEmitter;
  /** Headers of the client that are sent on to the external system, by the configured names; part of the key of a call. */
  readonly forwarded?: Readonly<Record<string, string>>;
  /** The authenticated client; `undefined` without authentication. */
  readonly user?: Principal;
}

/**
 * The context of a query that no request asks for, such as that of a scheduled job: a request id and a trace of its own.
 *
 * @param given what the job decides: `strict`, so that failures are thrown; `forwarded`, such as the header of its tenant
 */
export function jobContext(given: Partial<Omit<QueryContext, 'requestId' | 'traceparent'>> = {}): QueryContext {
  return { strict: false, ...given, requestId: randomUUID(), traceparent: traceparentOf(continueTrace(undefined)) };
}
