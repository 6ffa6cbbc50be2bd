/** What a query knows of the request it serves; handed along with it instead of hidden in ambient state. */
export interface CallContext {
  /** Sent on as `X-Request-Id`. */
  readonly requestId: string;
  /** W3C trace context to send on. */
  readonly traceparent: string;
  /** The caller prefers failing to degrading (`Prefer: handling=strict`). */
  readonly strict: boolean;
  /** Told when the client leaves before its answer. */
  readonly signal?: DepartureSignal;
  /** The caller's `Cache-Control`. */
  readonly cacheControl?: string;
  /** Left here by the cache, where one is on, once the call has ended, well or not. */
  cacheReport?: CacheReport;
}

/** How the cache served a call. */
export interface CacheReport {
  /** Parameters of a member of `Cache-Status` (RFC 9211). */
  readonly status: string;
  /** How old the answer is, in whole seconds, where it is one that was kept. */
  readonly ageSeconds?: number;
}

/** The part of an `AbortSignal` that calls need; a real one costs more than all the rest of the call policy. */
export interface DepartureSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}
