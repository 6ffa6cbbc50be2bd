import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { COMPLETENESS_HEADER } from './completeness-header';
import { tagCompleteAnswers } from './conditional-requests';

describe('tagCompleteAnswers', () => {
  let server: FastifyInstance;
  let body: unknown;
  beforeAll(async () => {
    server = fastify();
    tagCompleteAnswers(server);
    const answer = (path: string, status: number, completeness: string): void => {
      server.get(path, (_, reply) =>
        reply
          .status(status)
          .headers({ [COMPLETENESS_HEADER]: completeness, 'Cache-Control': 'private, no-cache', Vary: 'Prefer' })
          .send(body),
      );
    };
    answer('/complete', 200, 'complete');
    answer('/partial', 200, 'partial;reason=bad-reply');
    answer('/unavailable', 200, 'unavailable;reason=internal');
    answer('/failed', 500, 'complete');
    server.get('/plain', () => ({ a: 1 }));
    server.get('/empty', (_, reply) => reply.header(COMPLETENESS_HEADER, 'complete').send());
    await server.ready();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    body = { a: 'ä' };
  });

  const ask = (url: string, ifNoneMatch?: string, method: 'GET' | 'HEAD' = 'GET'): Promise<LightMyRequestResponse> =>
    server.inject({ url, method, headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } });
  const tagOf = async (): Promise<string> => String((await ask('/complete')).headers.etag);

  it('D24 tags a complete answer by its body', async () => {
    const tag = await tagOf();
    expect(tag).toMatch(/^(W\/)?"[\x21\x23-\x7e]+"$/);
    expect(await tagOf()).toBe(tag);
    expect((await ask('/complete')).json()).toEqual({ a: 'ä' });
    body = { a: 'b' };
    expect(await tagOf()).not.toBe(tag);
  });

  it.each(['/partial', '/unavailable', '/failed', '/plain', '/empty'])('D20 tags nothing else: %s', async (url) => {
    const { headers, statusCode } = await ask(url, '*');
    expect(headers.etag).toBeUndefined();
    expect(statusCode).not.toBe(304);
  });

  it.each<[string, (tag: string) => string]>([
    ['the tag', (tag) => tag],
    ['the tag, taken for strong', (tag) => tag.replace('W/', '')],
    ['the tag among others', (tag) => `"a", W/"b,c",${tag} , "d"`],
    ['anything', () => '*'],
    ['anything, with blanks', () => ' * '],
  ])('D24 answers 304 without a body to %s', async (_, condition) => {
    const tag = await tagOf();
    const { statusCode, payload, headers } = await ask('/complete', condition(tag));
    expect([statusCode, payload]).toEqual([304, '']);
    // RFC 9110, 15.4.5: what a 200 would have said to caches.
    expect(headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache', vary: 'Prefer' });
    expect(headers).not.toHaveProperty('content-type');
  });

  it.each<[string, (tag: string) => string]>([
    ['another tag', () => '"another"'],
    ['an empty condition', () => ''],
    ['the tag without its quotes', (tag) => tag.replaceAll('"', '').replace('W/', '')],
    ['a tag that holds it', (tag) => tag.replace('"', '"x')],
    ['a star among tags', () => '"a", *'],
  ])('D24 answers in full to %s', async (_, condition) => {
    const { statusCode, headers } = await ask('/complete', condition(await tagOf()));
    expect([statusCode, headers.etag]).toEqual([200, await tagOf()]);
  });

  it('D12 HEAD answers as GET does', async () => {
    const tag = await tagOf();
    expect((await ask('/complete', undefined, 'HEAD')).headers).toMatchObject({ etag: tag });
    expect((await ask('/complete', tag, 'HEAD')).statusCode).toBe(304);
  });
});
