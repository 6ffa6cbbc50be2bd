import { randomFillSync } from 'node:crypto';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:-.*)?$/;
const VERSION_00_LENGTH = 55;
const NOT_SAMPLED = '00';

/**
 * The `traceparent` (W3C Trace Context) to send on: it continues a valid one of the caller with a span of its own, and
 * starts a trace otherwise.
 */
export function continueTrace(incoming: string | string[] | undefined): string {
  const text = typeof incoming === 'string' ? incoming : '';
  const match = text.startsWith('00') && text.length !== VERSION_00_LENGTH ? null : TRACEPARENT.exec(text);
  const traceId = match?.[1] ?? randomHex(16);
  // Of a later version only the meaning of the last bit is known.
  const flags = text.startsWith('00')
    ? match?.[2]
    : match?.[2]?.replace(/^(.)(.)$/, (_, __, bits: string) => `0${parseInt(bits, 16) & 1}`);
  return `00-${traceId}-${randomHex(8)}-${flags ?? NOT_SAMPLED}`;
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
