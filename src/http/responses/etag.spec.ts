import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { addETags } from './etag';
import { allowRevalidation } from './response-headers';

describe('addETags', () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    server = fastify();
    server.decorateRequest('isRevalidated', false);
    await addETags(server);
    const route = (path: string, status: number, cacheControl?: string): void => {
      server.get(path, (_, reply) => {
        if (cacheControl === undefined) allowRevalidation(reply);
        else reply.header('Cache-Control', cacheControl);
        return reply.status(status).header('Vary', 'Prefer').send({ a: 'ä' });
      });
    };
    route('/complete', 200);
    route('/incomplete', 200, 'no-store');
    route('/same-text', 200, 'private, no-cache');
    route('/page', 200, 'public, max-age=60');
    route('/failed', 500);
    server.get('/plain', () => ({ a: 1 }));
    server.get('/empty', (_, reply) => allowRevalidation(reply).send());
    await server.ready();
  });
  afterAll(() => server.close());

  const get = (url: string, ifNoneMatch?: string): Promise<LightMyRequestResponse> =>
    server.inject({ url, headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } });
  const etagOf = async (): Promise<string> => String((await get('/complete')).headers.etag);

  it.each(['/incomplete', '/same-text', '/page', '/failed', '/plain', '/empty'])(
    'D20 no other response has one: %s',
    async (url) => {
      const { headers, statusCode } = await get(url, '*');
      expect(headers.etag).toBeUndefined();
      expect(statusCode).not.toBe(304);
    },
  );

  it.each<[string, (etag: string) => string]>([
    ['the ETag', (etag) => etag],
    ['the ETag, as a strong one', (etag) => etag.replace('W/', '')],
    ['the ETag among others', (etag) => `"a", W/"b,c",${etag} , "d"`],
    ['anything', () => '*'],
    ['anything, with spaces', () => ' * '],
  ])('D24 responds with 304 without a body to %s', async (_, condition) => {
    const etag = await etagOf();
    const { statusCode, payload, headers } = await get('/complete', condition(etag));
    expect([statusCode, payload]).toEqual([304, '']);
    // A 304 has the headers for caches that the 200 would have (RFC 9110, 15.4.5).
    expect(headers).toMatchObject({ etag, 'cache-control': 'private, no-cache', vary: 'Prefer' });
    expect(headers).not.toHaveProperty('content-type');
  });

  it.each<[string, (etag: string) => string]>([
    ['another ETag', () => '"another"'],
    ['an empty condition', () => ''],
    ['the ETag without its quotes', (etag) => etag.replaceAll('"', '').replace('W/', '')],
    ['an ETag that contains it', (etag) => etag.replace('"', '"x')],
    ['a star among ETags', () => '"a", *'],
  ])('D24 responds with 200 to %s', async (_, condition) => {
    const { statusCode, headers } = await get('/complete', condition(await etagOf()));
    expect([statusCode, headers.etag]).toEqual([200, await etagOf()]);
  });
});
