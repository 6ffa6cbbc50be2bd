import * as jose from 'jose';
import { KeyServer } from '../../test/support/key-server';
import { eventually } from '../../test/support/operations';
import { IssuerKeys, KeysUnavailableError } from './issuer-keys';

const TOKEN = { payload: '', signature: '' };
/** Without the address of the key server. */
const FETCH_FAILED = /^warn The keys of the token issuer cannot be fetched: \w+$/;

describe('IssuerKeys', () => {
  let server: KeyServer;
  let clock: number;
  let log: string[];
  let keys: IssuerKeys;
  let plausible: boolean;

  beforeEach(async () => {
    server = await KeyServer.start();
    clock = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => clock);
    plausible = true;
    log = [];
    const logger = {
      log: (text: string) => log.push(`log ${text}`),
      warn: (text: string) => log.push(`warn ${text}`),
    };
    const url = new URL(server.url);
    keys = new IssuerKeys({ jose, url, maxAgeMs: 86_400_000, logger, isPlausible: () => plausible });
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

  it('keys are refreshed after ten minutes of use, and a withdrawn key is removed', async () => {
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

  it('keys that cannot be refreshed stay valid for their maximum age, and no longer', async () => {
    await find();
    lose();
    for (let hour = 1; hour <= 24; hour += 1) {
      clock = hour * 3_600_000;
      await expect(find()).resolves.toBeDefined();
    }
    const { generation } = keys;
    clock += 1;
    expect(keys.generation).not.toBe(generation);
    await expect(find()).rejects.toBeInstanceOf(KeysUnavailableError);
    await eventually(() => log.length > 0);
    expect(log).toEqual([expect.stringMatching(FETCH_FAILED)]);
    clock += 1_000;
    server.misbehaviour = undefined;
    await expect(find()).resolves.toBeDefined();
  });

  it('keys that nobody used for their maximum age are fetched before they are used', async () => {
    await find();
    const withdrawn = server.key.jwk.kid;
    await server.rotate();
    clock = 86_400_001;
    await expect(find(withdrawn)).rejects.toBeInstanceOf(jose.errors.JWKSNoMatchingKey);
    await expect(find()).resolves.toBeDefined();
  });

  it('tokens that cannot be of the issuer cause no fetch of expired keys', async () => {
    await find();
    clock = 86_400_001;
    plausible = false;
    await expect(find()).rejects.toBeInstanceOf(jose.errors.JWTInvalid);
    expect(server.fetches).toBe(1);
  });

  it('a failing server gets one request a second at most', async () => {
    lose();
    for (let index = 0; index < 10; index += 1) await expect(find()).rejects.toBeInstanceOf(KeysUnavailableError);
    expect(server.fetches).toBe(1);
    clock = 400;
    await expect(find()).rejects.toMatchObject({ retryAfterMs: 600 });
    clock = 1_000;
    await expect(find()).rejects.toMatchObject({ retryAfterMs: 1_000 });
    expect(server.fetches).toBe(2);
    server.misbehaviour = undefined;
    clock = 2_000;
    await expect(find()).resolves.toBeDefined();
    expect(log).toEqual([expect.stringMatching(FETCH_FAILED), 'log The keys of the token issuer are available again']);
  });

  it('other, private and invalid keys beside a valid one are ignored', async () => {
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
