import fastify, { type FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressFilesOnce } from './compressed-files';

const TEXT = 'some text '.repeat(1000);

describe('compressFilesOnce', () => {
  let server: FastifyInstance;
  let read: number;

  beforeEach(() => {
    read = 0;
    server = fastify({ exposeHeadRoutes: true });
    compressFilesOnce(server);
    server.get('/docs/*', (request, reply) => {
      const text = request.method === 'HEAD' ? '' : TEXT;
      const stream = new Readable({
        read() {
          read += 1;
          this.push(text === '' ? null : text);
          this.push(null);
        },
      });
      return reply.type('text/css').header('ETag', 'W/"1"').send(stream);
    });
  });
  afterEach(() => server.close());

  const get = (url: string, coding: string, method: 'GET' | 'HEAD' = 'GET') =>
    server.inject({ method, url, headers: { 'Accept-Encoding': coding } });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])(
    'compresses a file once with %s, however often and by whatever spelling it is requested',
    async (coding, decode) => {
      const urls = ['/docs/a.css', '/docs/a.css?x=1', '/docs//a.css', '/docs/./a.css'];
      for (const answer of await Promise.all(urls.map((url) => get(url, coding)))) {
        expect(answer.headers['content-encoding']).toBe(coding);
        expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
        expect(decode(answer.rawPayload).toString()).toBe(TEXT);
      }
      expect(read).toBe(1);
    },
  );

  it('keeps nothing of HEAD, and leaves identity alone', async () => {
    expect((await get('/docs/a.css', 'gzip', 'HEAD')).headers['content-encoding']).toBeUndefined();
    expect((await get('/docs/a.css', 'identity')).body).toBe(TEXT);
    expect(gunzipSync((await get('/docs/a.css', 'gzip')).rawPayload).toString()).toBe(TEXT);
  });
});
