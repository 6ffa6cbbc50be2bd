import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Version 00 ends with the flags. */
const TRACEPARENT =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]([0-9a-f])(?:-.*)?$/;

/** The position of a request in its trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** `01`: sampled. */
  readonly flags: '00' | '01';
}

export function traceOf(request: { readonly headers: IncomingHttpHeaders; trace: TraceContext | null }): TraceContext {
  return (request.trace ??= continueTrace(request.headers.traceparent));
}

/** Continues the trace of a valid `traceparent`, or starts one. */
export function continueTrace(incoming: string | string[] | undefined): TraceContext {
  const [, traceId, parentId, bits = '0'] = TRACEPARENT.exec(typeof incoming === 'string' ? incoming : '') ?? [];
  // 8, 4, 4, 4 and 12 digits; `randomBytes` takes ten times as long.
  const groups = randomUUID().split('-');
  return {
    traceId: traceId ?? groups.join(''),
    spanId: groups.slice(3).join(''),
    parentId,
    flags: (parseInt(bits, 16) & 1) === 0 ? '00' : '01',
  };
}

/** Joined, not concatenated: V8 would keep the pieces while a call waits. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return ['00', traceId, spanId, flags].join('-');
}
