import fastify, { type FastifyInstance } from 'fastify';
import { addETags } from './etag';
import { encodeOnce, encodingOf } from './encoded-body';
import { REVALIDATE } from './response-headers';

describe('encodeOnce', () => {
  let server: FastifyInstance;
  let serialized: number;
  let cacheControl: string;
  const body = { text: 'ä'.repeat(10), toJSON: () => ((serialized += 1), { text: body.text }) };

  beforeAll(async () => {
    server = fastify();
    await addETags(server);
    server.get('/cached', (_, reply) => {
      encodeOnce(reply);
      return reply.header('Cache-Control', cacheControl).send(body);
    });
    server.get('/fresh', (_, reply) => reply.header('Cache-Control', cacheControl).send(body));
  });
  afterAll(() => server.close());
  beforeEach(() => {
    serialized = 0;
    cacheControl = REVALIDATE;
  });

  it('sends the same body, ETag and type as the default serializer', async () => {
    const [fresh, cached, again] = [
      await server.inject('/fresh'),
      await server.inject('/cached'),
      await server.inject('/cached'),
    ];
    for (const { headers, payload } of [cached, again]) {
      expect(payload).toBe(fresh.payload);
      for (const name of ['etag', 'content-type', 'content-length']) expect(headers[name]).toBe(fresh.headers[name]);
    }
    const unchanged = await server.inject({
      url: '/cached',
      headers: { 'if-none-match': String(cached.headers.etag) },
    });
    expect([unchanged.statusCode, unchanged.payload]).toEqual([304, '']);
  });

  it('serializes a body once, also for responses without ETag', async () => {
    await server.inject('/cached');
    serialized = 0;
    await server.inject('/cached');
    cacheControl = 'no-store';
    const stale = await server.inject('/cached');
    expect([stale.json(), stale.headers.etag]).toEqual([{ text: body.text }, undefined]);
    expect(serialized).toBe(0);
  });

  it.each(['a', 'ä\u{1f4e6}', 'a'.repeat(20_000), 'ä'.repeat(20_000)])(
    'the ETag of a text is that of its bytes, and other bytes have another',
    (text) => {
      const { payload, etag } = encodingOf(text);
      expect(Buffer.from(payload as string)).toEqual(Buffer.from(text));
      expect(encodingOf(Buffer.from(text)).etag).toBe(etag);
      expect(encodingOf(`${text}b`).etag).not.toBe(etag);
    },
  );
});
