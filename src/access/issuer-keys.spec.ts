import * as jose from 'jose';
import { KeyServer } from '../../test/support/key-server';
import { eventually } from '../../test/support/operations';
import { IssuerKeys, KeysUnavailable } from './issuer-keys';

const TOKEN = { payload: '', signature: '' };

describe('IssuerKeys', () => {
  let server: KeyServer;
  let clock: number;
  let log: string[];
  let keys: IssuerKeys;

  beforeEach(async () => {
    server = await KeyServer.start();
    clock = 0;
    log = [];
    const logger = {
      info: (text: string) => log.push(`info ${text}`),
      warn: (_: unknown, text: string) => log.push(`warn ${text}`),
    } as never;
    const url = new URL(server.url);
    keys = new IssuerKeys({ jose, url, logger, isPlausible: () => true, now: () => clock });
  });
  afterEach(() => server.close());

  const find = (kid?: string): Promise<unknown> => keys.find({ alg: 'ES256', kid: kid ?? server.key.jwk.kid }, TOKEN);
  const lose = (): void => {
    server.misbehaviour = (response) => response.destroy();
  };

  it('a second rotation within ten seconds is found when they are over', async () => {
    await find();
    await server.rotate();
    await find();
    await server.rotate();
    clock += 9_999;
    await expect(find()).rejects.toBeInstanceOf(jose.errors.JWKSNoMatchingKey);
    expect(server.fetches).toBe(2);
    clock += 1;
    await expect(find()).resolves.toBeDefined();
    expect(server.fetches).toBe(3);
  });

  it('keys are refreshed after ten minutes of use, and one that was withdrawn is forgotten', async () => {
    await find();
    const withdrawn = server.key.jwk.kid;
    await server.rotate();
    clock = 600_000;
    await find(withdrawn);
    expect(server.fetches).toBe(1);
    clock += 1;
    await expect(find(withdrawn)).resolves.toBeDefined();
    await eventually(() => server.fetches === 2);
    await find();
    await expect(find(withdrawn)).rejects.toBeInstanceOf(jose.errors.JWKSNoMatchingKey);
  });

  it('keys that cannot be refreshed go on being good, for days', async () => {
    await find();
    lose();
    for (let day = 1; day < 5; day += 1) {
      clock = day * 86_400_000;
      await expect(find()).resolves.toBeDefined();
    }
    await eventually(() => log.length > 0);
    expect(log).toEqual(['warn The keys of the token issuer cannot be fetched']);
  });

  it('a server that fails is asked once a second at most', async () => {
    lose();
    for (let index = 0; index < 10; index += 1) await expect(find()).rejects.toBeInstanceOf(KeysUnavailable);
    expect(server.fetches).toBe(1);
    clock = 400;
    await expect(find()).rejects.toMatchObject({ retryAfterMs: 600 });
    clock = 1_000;
    await expect(find()).rejects.toMatchObject({ retryAfterMs: 1_000 });
    expect(server.fetches).toBe(2);
    server.misbehaviour = undefined;
    clock = 2_000;
    await expect(find()).resolves.toBeDefined();
    expect(log).toEqual([
      'warn The keys of the token issuer cannot be fetched',
      'info The keys of the token issuer are available again',
    ]);
  });

  it('keys for others, private ones and nonsense beside a good key do no harm', async () => {
    const good = (JSON.parse(server.document) as { keys: unknown[] }).keys;
    const others = [
      { kty: 'RSA', kid: 'x' },
      { kty: 'oct', k: 'c2VjcmV0', kid: server.key.jwk.kid, alg: 'HS256' },
      { ...server.key.jwk, use: 'enc' },
    ];
    server.misbehaviour = (response) => response.end(JSON.stringify({ keys: [...others, ...good] }));
    await expect(find()).resolves.toMatchObject({ type: 'public' });
    const hmac = keys.find({ alg: 'HS256', kid: server.key.jwk.kid }, TOKEN);
    await expect(hmac).rejects.toBeInstanceOf(jose.errors.JOSENotSupported);
  });
});
