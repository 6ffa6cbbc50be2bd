import { Negotiator } from '@fastify/accept-negotiator';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib';

/** Bodies below this fit into one packet anyway. */
const THRESHOLD_BYTES = 1024;

/**
 * Up to here a body is compressed in place: a page of 100 is 30 KiB. Larger ones, which would hold up everybody else for
 * more than 5 ms, are left to the thread pool, in one piece: the streams of the plugin are not ended where a client
 * leaves, and take three times as long. Characters of a text, bytes of a buffer.
 */
const IN_PLACE_LENGTH = 1_048_576;

/** A page of 100 then takes 120 to 160 µs and a sixth of its size; the defaults take twice the time for a twentieth less. */
const GZIP_LEVEL = 3;
const BROTLI_QUALITY = 3;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
const GZIP = { level: GZIP_LEVEL };

/** The first wins where the client does not mind. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
type Coding = (typeof CODINGS)[number];
const negotiator = new Negotiator<Coding>({ supportedValues: [...CODINGS] });

const compressByBrotli = promisify<string | Buffer, BrotliOptions, Buffer>(brotliCompress);
const compressByGzip = promisify<string | Buffer, ZlibOptions, Buffer>(gzip);

/** A star that stands beside gzip; by itself it may be taken for gzip. */
const OTHER_CODINGS = /\*[^,]*/g;

/**
 * Compresses bodies that are worth it, where `Accept-Encoding` allows Brotli or gzip. To be called before any route is
 * added; tags have to be given to bodies before.
 */
export async function compressAnswers(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onRequest', ({ headers }, _, done) => {
    const accepted = headers['accept-encoding'];
    // The plugin takes a star for gzip, also where it stands for everything but gzip.
    if (typeof accepted === 'string' && accepted.includes('*') && /gzip/i.test(accepted)) {
      headers['accept-encoding'] = accepted.replace(OTHER_CODINGS, '');
    }
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!isLarge(payload)) {
      done();
      return;
    }
    const coding = codingFor(request);
    if (coding === 'identity') {
      done();
      return;
    }
    const compressing = coding === 'br' ? compressByBrotli(payload, BROTLI) : compressByGzip(payload, GZIP);
    compressing.then((body) => {
      reply.header('Content-Encoding', coding).header('Content-Length', body.length);
      done(null, body);
    }, done);
  });
  await fastify.register(compress, {
    // Nobody reads request bodies here.
    globalDecompression: false,
    encodings: [...CODINGS],
    threshold: THRESHOLD_BYTES,
    syncThreshold: Infinity,
    brotliOptions: BROTLI,
    zlibOptions: GZIP,
  });
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > IN_PLACE_LENGTH;
}

/** As the plugin decides it for smaller bodies. */
function codingFor({ headers }: FastifyRequest): Coding {
  const accepted = headers['accept-encoding'];
  if (typeof accepted !== 'string' || headers['x-no-compression'] !== undefined) return 'identity';
  return negotiator.negotiate(accepted.toLowerCase().replace(/\*|x-gzip/g, 'gzip')) ?? 'identity';
}
