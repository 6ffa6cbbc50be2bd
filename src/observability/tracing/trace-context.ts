import type { Span } from '@opentelemetry/api';
import { randomUUID } from 'node:crypto';

/** A `traceparent` (W3C): version, trace id, parent id, flags, and what versions after 00 may add. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The position of a request in its trace (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** `01` where the trace is sampled, so that its spans are exported. */
  readonly flags: '00' | '01';
}

export function traceOfSpan(span: Span, parentId?: string): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, parentId, flags: (traceFlags & 1) === 0 ? '00' : '01' };
}

/**
 * Continues the trace of a valid `traceparent`, or starts one. By the rules of W3C, version `ff` is not allowed, version
 * 00 ends with the flags, and no id is zero.
 *
 * @param random the UUID of which new ids are made
 */
export function continueTrace(incoming: string | string[] | undefined, random: string = randomUUID()): TraceContext {
  // The 32 hexadecimal digits of a UUID are a trace id, the last 16 of them a span id.
  const digits = random.replaceAll('-', '');
  const spanId = digits.slice(16);
  if (incoming === undefined) return { traceId: digits, spanId, parentId: undefined, flags: '00' };
  const [, version, traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(String(incoming)) ?? [];
  const isVersionValid = version === '00' ? rest === undefined : version !== undefined && version !== 'ff';
  const isValid = isVersionValid && !/^0+$/.test(traceId) && !/^0+$/.test(parentId);
  if (!isValid) return { traceId: digits, spanId, parentId: undefined, flags: '00' };
  // Of the flags only the lowest bit is read: whether the trace is sampled.
  return { traceId, spanId, parentId, flags: (parseInt(flags, 16) & 1) === 0 ? '00' : '01' };
}

/**
 * A `traceparent`. Its parts are joined and not concatenated, because V8 would keep the parts of a concatenated text in
 * memory for as long as the upstream request waits.
 */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return ['00', traceId, spanId, flags].join('-');
}
