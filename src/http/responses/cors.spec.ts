import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../../test/support/http-server';
import { allowOrigins } from './cors';

const HEADERS = { allowed: [], exposed: ['X-Own'] };

describe('allowOrigins', () => {
  let server: FastifyInstance;
  const start = async (...origins: string[]): Promise<void> => {
    server = bareServer();
    await allowOrigins(server, { origins, ...HEADERS });
    server.get('/', () => 'a body');
  };
  const headersFor = async (origin: string): Promise<object> =>
    (await server.inject({ url: '/', headers: { origin } })).headers;
  afterEach(() => server.close());

  it('lets pages of the origins read responses and these headers', async () => {
    await start('https://app.example', 'https://other.example');
    expect(await headersFor('https://other.example')).toMatchObject({
      'access-control-allow-origin': 'https://other.example',
      'access-control-expose-headers': expect.stringMatching(/^X-Own, .*\bDate\b/),
      vary: 'Origin',
    });
  });

  it('allows no other origin', async () => {
    await start('https://app.example');
    for (const origin of ['https://evil.example', 'https://app.example.evil', 'null']) {
      expect(await headersFor(origin)).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('sets no header without origins', async () => {
    await start();
    const headers = await headersFor('https://app.example');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control') || name === 'vary')).toEqual([]);
  });
});
