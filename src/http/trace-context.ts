import type { FastifyRequest } from 'fastify';
import { randomFillSync } from 'node:crypto';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const VERSION_00_LENGTH = 55;
const NOT_SAMPLED = '00';

/** Where a request stands in its trace (W3C Trace Context). Identifiers are lower-case hex digits. */
export interface TraceContext {
  readonly traceId: string;
  /** Of the service's own part in the trace. */
  readonly spanId: string;
  /** The span of the caller; `undefined` where the trace begins here. */
  readonly parentId: string | undefined;
  readonly flags: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Made for the first who wants to know, see {@link traceOf}. */
    trace: TraceContext | null;
  }
}

/** The trace of a request; always the same one. */
export function traceOf(request: FastifyRequest): TraceContext {
  return (request.trace ??= continueTrace(request.headers.traceparent));
}

/** Continues the trace of a valid `traceparent` with a span of its own, and starts a trace otherwise. */
export function continueTrace(incoming: string | string[] | undefined): TraceContext {
  const text = typeof incoming === 'string' ? incoming : '';
  const match = text.startsWith('00') && text.length !== VERSION_00_LENGTH ? null : TRACEPARENT.exec(text);
  // Of a later version only the meaning of the last bit is known.
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

/** The header that tells the next service of this trace. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

// Random bytes are drawn by the block: one draw costs more than a whole block does.
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
