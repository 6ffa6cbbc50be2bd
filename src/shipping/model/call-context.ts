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
  /** Where to note how long the external system took; absent unless somebody wants to know. */
  readonly timing?: CallTiming;
}

/** What one request spent on its calls. */
export interface CallTiming {
  /** Milliseconds, waits and retries included; `undefined` where nothing was called. */
  externalMs: number | undefined;
}

/** The part of an `AbortSignal` that calls need; a real one costs more than all the rest of the call policy. */
export interface DepartureSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}
