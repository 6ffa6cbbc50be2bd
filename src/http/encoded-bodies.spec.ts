import fastify, { type FastifyInstance } from 'fastify';
import { COMPLETENESS_HEADER } from './completeness-header';
import { tagCompleteAnswers } from './conditional-requests';
import { encodeOnce, encodingOf } from './encoded-bodies';

describe('bodies that are given again', () => {
  let server: FastifyInstance;
  let written: number;
  let completeness: string;
  const body = { text: 'ä'.repeat(10), toJSON: () => ((written += 1), { text: body.text }) };

  beforeAll(() => {
    server = fastify();
    tagCompleteAnswers(server);
    server.get('/kept', (_, reply) => {
      encodeOnce(reply);
      return reply.header(COMPLETENESS_HEADER, completeness).send(body);
    });
    server.get('/fresh', (_, reply) => reply.header(COMPLETENESS_HEADER, completeness).send(body));
  });
  afterAll(() => server.close());
  beforeEach(() => {
    written = 0;
    completeness = 'complete';
  });

  it('are the same, with the same tag and type, as those that are encoded anew', async () => {
    const [fresh, kept, again] = [
      await server.inject('/fresh'),
      await server.inject('/kept'),
      await server.inject('/kept'),
    ];
    for (const { headers, payload } of [kept, again]) {
      expect(payload).toBe(fresh.payload);
      for (const name of ['etag', 'content-type', 'content-length']) expect(headers[name]).toBe(fresh.headers[name]);
    }
    const unchanged = await server.inject({ url: '/kept', headers: { 'if-none-match': String(kept.headers.etag) } });
    expect([unchanged.statusCode, unchanged.payload]).toEqual([304, '']);
  });

  it('are encoded once, also where an answer is not complete', async () => {
    await server.inject('/kept');
    written = 0;
    await server.inject('/kept');
    completeness = 'stale;reason=upstream-timeout';
    const stale = await server.inject('/kept');
    expect([stale.json(), stale.headers.etag]).toEqual([{ text: body.text }, undefined]);
    expect(written).toBe(0);
  });

  it('other bytes have a tag of their own', () => {
    expect(encodingOf(Buffer.from('a'))).toEqual(encodingOf('a'));
    expect(encodingOf(Buffer.from('b')).tag).not.toBe(encodingOf('a').tag);
  });
});
