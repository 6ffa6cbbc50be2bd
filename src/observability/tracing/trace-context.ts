import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Version, trace id, parent id, flags, and what versions after 00 may add. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The position of a request in its trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** `01` where the trace is sampled, so that its spans are exported. */
  readonly flags: '00' | '01';
}

export function traceOf(request: { readonly headers: IncomingHttpHeaders; trace: TraceContext | null }): TraceContext {
  return (request.trace ??= continueTrace(request.headers.traceparent));
}

/** Continues the trace of a valid `traceparent`, or starts one. */
export function continueTrace(incoming: string | string[] | undefined): TraceContext {
  const received = parse(incoming);
  // A UUID has groups of 8, 4, 4, 4 and 12 hexadecimal digits, and `randomBytes` takes ten times as long.
  const groups = randomUUID().split('-');
  return {
    traceId: received?.traceId ?? groups.join(''),
    spanId: groups.slice(3).join(''),
    parentId: received?.parentId,
    flags: received?.isSampled === true ? '01' : '00',
  };
}

/** `undefined` for what is no `traceparent`: version `ff` is reserved, version 00 ends with the flags, ids are not zero. */
function parse(incoming: string | string[] | undefined) {
  if (typeof incoming !== 'string') return undefined;
  const [, version, traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(incoming) ?? [];
  const isVersionValid = version === '00' ? rest === undefined : version !== undefined && version !== 'ff';
  if (!isVersionValid || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  // Of the flags, only the lowest bit says that the trace is sampled.
  return { traceId, parentId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/** The text is joined, because V8 would keep the pieces of a concatenated one while a call waits. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return ['00', traceId, spanId, flags].join('-');
}
