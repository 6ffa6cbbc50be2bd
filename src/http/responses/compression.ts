import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type BrotliOptions,
  type ZlibOptions,
} from 'node:zlib';
import { hashOnce } from './etag';

/** Smaller bodies fit into one packet. */
const THRESHOLD_BYTES = 1024;

/** Bodies up to this size are compressed at once; a page of 100 has 30 KiB. Larger ones leave the event loop free. */
const LONG_BYTES = 1_048_576;

/** A page of 100 takes 120 to 160 µs and shrinks to a sixth; the default levels take twice the time for 5 % less. */
const FAST = { br: brotli(3), gzip: { level: 3 } };
/** Of fixed bodies, outside the event loop: the styles of Swagger UI, 180 KB, take 100 ms. */
const FIXED = { br: brotli(10), gzip: { level: 9 } };
/** Of long fixed bodies: the script of Swagger UI, 1.5 MB, takes 150 ms; it would take a second for 7 % less. */
const LONG_FIXED = { ...FIXED, br: brotli(9) };

/** In the order of preference. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

/** Compressed forms of the fixed bodies. */
const fixedBodies = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

/** Keeps a body that does not change while the process runs: it is hashed once, and compressed once for each coding. */
export function fixedBody(content: string | Buffer): Buffer {
  const bytes = hashOnce(typeof content === 'string' ? Buffer.from(content) : content);
  fixedBodies.set(bytes, new Map());
  return bytes;
}

/** The bytes that a payload holds while it is not sent; those of a fixed body are held anyway. */
export function bytesHeldBy(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) && !fixedBodies.has(payload) ? payload.length : 0;
}

/** Compresses bodies where `Accept-Encoding` allows Brotli or gzip, and counts them anew. ETags have to be added before. */
export function addCompression(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ headers }, reply, payload, done) => {
    const coding = codingFor(headers['accept-encoding']);
    const isBody = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (coding === undefined || !isBody || Buffer.byteLength(payload) < THRESHOLD_BYTES) {
      done();
      return;
    }
    const send = (bytes: Buffer): void => {
      reply.header('Content-Encoding', coding).header('Content-Length', bytes.length);
      done(null, bytes);
    };
    const forms = typeof payload === 'string' ? undefined : fixedBodies.get(payload);
    if (forms !== undefined) {
      const form = forms.get(coding) ?? compress(payload, coding, isLong(payload) ? LONG_FIXED : FIXED);
      forms.set(coding, form);
      form.then(send, done);
      return;
    }
    const sendCounted = (bytes: Buffer): void => {
      fastify.connections.count(reply.raw, bytes.length);
      send(bytes);
    };
    if (isLong(payload)) compress(payload, coding, FAST).then(sendCounted, done);
    else sendCounted(coding === 'br' ? brotliCompressSync(payload, FAST.br) : gzipSync(payload, FAST.gzip));
  });
}

function isLong(body: string | Buffer): boolean {
  return Buffer.byteLength(body) > LONG_BYTES;
}

/** Compresses outside the event loop. */
function compress(body: string | Buffer, coding: Coding, options: typeof FAST): Promise<Buffer> {
  return coding === 'br'
    ? promisify<string | Buffer, BrotliOptions, Buffer>(brotliCompress)(body, options.br)
    : promisify<string | Buffer, ZlibOptions, Buffer>(gzip)(body, options.gzip);
}

/** A star stands for the first coding that the header does not name (RFC 9110). */
function codingFor(accepted: string | undefined): Coding | undefined {
  if (accepted === undefined) return undefined;
  const header = accepted.toLowerCase().replaceAll('x-gzip', 'gzip');
  const other = CODINGS.find((coding) => !header.includes(coding)) ?? 'identity';
  const chosen = negotiate(header.replaceAll('*', other), [...CODINGS, 'identity']);
  return CODINGS.find((coding) => coding === chosen);
}

function brotli(quality: number): BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
}
