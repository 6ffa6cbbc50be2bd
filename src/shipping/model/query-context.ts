import type { AbortEmitter } from '../../common/abort-emitter';
import type { Principal } from '../../http/requests/request-state';

/** The facts about its request that a query needs. It is made once, from the headers. */
export interface QueryContext {
  /** Sent to the external system as `X-Request-Id`. */
  readonly requestId: string;
  /** W3C trace context, sent to the external system. */
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
