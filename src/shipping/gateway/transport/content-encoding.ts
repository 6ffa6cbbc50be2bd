import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import pLimit from 'p-limit';
import { timedOut, wrongShape } from '../../../resilience/upstream-failure';
import { headerText } from './response-text';
import { oversizedBody } from './transport-failures';

/** The decoders that need no look at the body. */
const DECODERS = new Map(Object.entries({ gzip: gunzip, 'x-gzip': gunzip, br: brotliDecompress }));
const MAX_CODINGS = 4;
/**
 * The size of the pieces in which zlib returns decoded bytes. With its default of 16 KiB, decoding a body that reaches
 * the limit of its size keeps a thread busy ten times as long.
 */
const DECODING_CHUNK_BYTES = 131_072;
/** A Brotli body of 53 bytes makes its decoder take 16 MiB, so that only a few bodies are decoded at once. */
const MAX_DECODING = 4;

const decoding = pLimit(MAX_DECODING);

/** The codings that were applied to a body, in their order. An empty value and `identity` count as no coding. */
export function codingsOf(header: unknown): readonly string[] {
  const names = header === undefined ? [] : headerText(header).toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

/**
 * Undoes the codings of a body, the last one first.
 *
 * @param maxBytes the most bytes that the body may have after each step
 * @param signal where it is aborted while the body waits for a decoder, the body is not decoded
 * @throws {UpstreamFailure} where it is larger or not coded so, where a coding is unknown, or where there are more than
 * four
 */
export async function decode(
  body: Buffer,
  codings: readonly string[],
  maxBytes: number,
  signal: { readonly aborted: boolean },
): Promise<Buffer> {
  if (codings.length > MAX_CODINGS) throw wrongShape(`content encoding of more than ${MAX_CODINGS} codings`);
  return decoding(async () => {
    if (signal.aborted) throw timedOut();
    let decoded = body;
    for (const coding of [...codings].reverse()) decoded = await undo(coding, decoded, maxBytes);
    return decoded;
  });
}

async function undo(coding: string, body: Buffer, maxBytes: number): Promise<Buffer> {
  const deflated = hasZlibHeader(body) ? inflate : inflateRaw;
  const decoder = coding === 'deflate' ? deflated : DECODERS.get(coding);
  const isNameable = /^[a-z0-9_-]{1,32}$/.test(coding);
  if (decoder === undefined) throw wrongShape(`content encoding ${isNameable ? coding : 'unknown'}`);
  try {
    const options = { maxOutputLength: maxBytes, chunkSize: DECODING_CHUNK_BYTES };
    return await promisify<Buffer, ZlibOptions, Buffer>(decoder)(body, options);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw oversizedBody(maxBytes);
    throw wrongShape(`content encoding ${coding}: ${code}`);
  }
}

/**
 * Whether a `deflate` body has the header that RFC 9110 requires, which some systems leave out; the first two bytes
 * show it (RFC 1950).
 */
function hasZlibHeader(body: Buffer): boolean {
  return body.length > 1 && ((body[0] ?? 0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
