/** What a query knows of the request it serves; handed along with it instead of hidden in ambient state. */
export interface CallContext {
  /** Sent on as `X-Request-Id`. */
  readonly requestId: string;
  /** W3C trace context to send on. */
  readonly traceparent: string;
  /** The caller prefers failing to degrading (`Prefer: handling=strict`). */
  readonly strict: boolean;
  /** Aborted when the client leaves before its answer. */
  readonly signal?: AbortSignal;
}
