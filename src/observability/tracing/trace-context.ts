import type { IncomingHttpHeaders } from 'node:http';
import { randomFillSync } from 'node:crypto';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const VERSION_00_LENGTH = 55;
const NOT_SAMPLED = '00';

/** The position of a request in its trace (W3C Trace Context). Identifiers are lower-case hexadecimal digits. */
export interface TraceContext {
  readonly traceId: string;
  /** The span of the service. */
  readonly spanId: string;
  /** The span of the client; `undefined` where the trace begins here. */
  readonly parentId: string | undefined;
  readonly flags: string;
}

/** A request that keeps its trace. */
interface TracedRequest {
  readonly headers: IncomingHttpHeaders;
  trace: TraceContext | null;
}

/** The trace of a request; always the same one. */
export function traceOf(request: TracedRequest): TraceContext {
  return (request.trace ??= continueTrace(request.headers.traceparent));
}

/** Continues the trace of a valid `traceparent` with a new span, and starts a trace otherwise. */
export function continueTrace(incoming: string | string[] | undefined): TraceContext {
  const text = typeof incoming === 'string' ? incoming : '';
  const match = text.startsWith('00') && text.length !== VERSION_00_LENGTH ? null : TRACEPARENT.exec(text);
  // Of a later version only the last bit has a known meaning.
  const flags = text.startsWith('00')
    ? match?.[3]
    : match?.[3]?.replace(/^(.)(.)$/, (_, __, bits: string) => `0${parseInt(bits, 16) & 1}`);
  return {
    traceId: match?.[1] ?? randomHex(16),
    spanId: randomHex(8),
    parentId: match?.[2],
    flags: flags ?? NOT_SAMPLED,
  };
}

/** The `traceparent` header for the next service. Joined, not concatenated: V8 would keep the pieces while a call waits. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return ['00', traceId, spanId, flags].join('-');
}

// Random bytes are drawn in blocks: one draw takes as long as a block.
const block = Buffer.alloc(4096);
let used = block.length;

function randomHex(bytes: number): string {
  if (used + bytes > block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += bytes;
  return block.toString('hex', used - bytes, used);
}
