import type { ServerResponse } from 'node:http';
import { bearer, KeyServer } from '../../testing/key-server';
import { eventually } from '../../testing/upstream/eventually';
import { RawConnection } from '../faults/support/raw-connection';
import { expectProblem } from '../support/expected';
import { BY_ID, DETAILS } from '../support/operations';
import { type HttpResponse, type ScriptedService, useClosing, useStart } from '../support/service';
import { useHeldDate } from '../support/wall-clock';
import { expectRefused, EXPIRED_TOKEN, INVALID_TOKEN, now, useGuardedService } from './access';

describe('D76 keys of the issuer', () => {
  let keyServer: KeyServer;
  let scripted: ScriptedService;
  const [start, closedLater] = [useStart(), useClosing()];
  /** Starts a service; the result sends it a token. */
  const service = async (env: Record<string, string> = {}): Promise<(token: string) => Promise<HttpResponse>> => {
    scripted = await start({ ...keyServer.env, ...env });
    return (token) => scripted.service.request(DETAILS.request, bearer(token));
  };
  const advance = (ms: number): void => {
    jest.setSystemTime(Date.now() + ms);
    jest.mocked(performance.now).mockReturnValue(performance.now() + ms);
  };
  const anonymous = (claims = {}): Promise<string> =>
    keyServer.sign({ exp: now() + 3_600, ...claims }, { kid: undefined });
  const lasting = (claims = {}): Promise<string> => keyServer.sign({ exp: now() + 999_999, ...claims });
  const COOLDOWN_MS = 10_000;
  const DAY_MS = 86_400_000;
  const MIB = 1_048_576;

  const holdDate = useHeldDate();
  beforeEach(async () => {
    holdDate();
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    keyServer = closedLater(await KeyServer.start());
  });
  async function statusesOf(ask: (token: string) => Promise<HttpResponse>, tokens: string[]): Promise<number[]> {
    return (await Promise.all(tokens.map(ask))).map(({ status }) => status);
  }

  it.each([
    ['with kid', lasting],
    ['without kid', anonymous],
  ])('are fetched once for tokens %s, and again after ten seconds', async (_, sign) => {
    const ask = await service();
    const tokens = async (): Promise<string[]> => Promise.all(Array.from({ length: 20 }, (__, jti) => sign({ jti })));
    expect(new Set(await statusesOf(ask, await tokens()))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(1);
    await keyServer.rotate();
    const rotated = await tokens();
    advance(COOLDOWN_MS - 1);
    expect((await ask(await sign())).status).toBe(401);
    advance(1);
    expect(new Set(await statusesOf(ask, rotated))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(2);
  });

  const forged = (token: string): string => `${token.slice(0, -8)}AAAAAAAA`;
  const unknown = (index: number, claims = {}): Promise<string> => keyServer.sign(claims, { kid: `none-${index}` });
  it.each([
    { tokens: 'of unknown keys', sign: (index: number) => unknown(index), fetches: 1 },
    { tokens: 'without kid', sign: () => anonymous().then(forged), fetches: 1 },
    { tokens: 'forged', sign: () => lasting().then(forged), fetches: 0 },
    { tokens: 'of another issuer', sign: (index: number) => unknown(index, { iss: 'other' }), fetches: 0 },
    { tokens: 'expired', sign: (index: number) => unknown(index, { exp: now() - 31 }), fetches: 0 },
  ])('are fetched at most every ten seconds for tokens $tokens', async ({ sign, fetches }) => {
    const ask = await service();
    expect((await ask(await lasting())).status).toBe(200);
    advance(COOLDOWN_MS);
    for (let index = 0; index < 5; index += 1) expect((await ask(await sign(index))).status).toBe(401);
    expect(keyServer.fetches).toBe(1 + fetches);
  });

  it('a token is remembered for ten minutes, whatever is forged', async () => {
    const ask = await service({ RATE_LIMIT_MAX: '4', RATE_LIMIT_WINDOW_MS: '3600000' });
    const known = await lasting();
    expect((await ask(known)).status).toBe(200);
    const [header, payload] = (await lasting({ sub: 'other' })).split('.');
    const forged = [header, payload, known.split('.')[2]].join('.');
    advance(COOLDOWN_MS);
    for (let count = 0; count < 4; count += 1) expect((await ask(forged)).status).toBe(401);
    // Failed authentications are used up, so that only tokens that are remembered pass.
    advance(599_999 - COOLDOWN_MS);
    expect((await ask(known)).status).toBe(200);
    advance(1);
    expectProblem(await ask(known), 429, 'rate-limit-exceeded');
  });

  it('a verified token is refused once it has expired', async () => {
    const ask = await service();
    const token = await keyServer.sign({ exp: now() + 60 });
    expect((await ask(token)).status).toBe(200);
    advance(89_000 - (Date.now() % 1000));
    expect((await ask(token)).status).toBe(200);
    advance(1_000);
    expectRefused(await ask(token), 'invalid-credentials', EXPIRED_TOKEN);
  });

  it('are trusted for a day', async () => {
    const ask = await service();
    const withdrawn = await Promise.all([lasting({ jti: 1 }), lasting({ jti: 2 }), lasting({ jti: 3 })]);
    expect((await ask(withdrawn[0])).status).toBe(200);
    await keyServer.rotate();
    advance(DAY_MS - 1);
    expect((await ask(withdrawn[1])).status).toBe(200);
    advance(1);
    expect((await ask(withdrawn[2])).status).toBe(401);
    keyServer.misbehaviour = (response) => response.destroy();
    advance(DAY_MS);
    expectProblem(await ask(await lasting()), 503, 'keys-unavailable');
  });

  it.each(['ES256', 'RS256'])('a token without kid is verified with each fitting key (%s)', async (alg) => {
    await keyServer.rotate(alg);
    const tokens = [await anonymous()];
    for (const next of [alg, 'EdDSA', alg]) {
      await keyServer.add(next);
      tokens.push(await anonymous());
    }
    const ask = await service();
    expect(await statusesOf(ask, tokens)).toEqual([200, 200, 200, 200]);
    const [header, payload] = (await anonymous({ sub: 'root' })).split('.');
    const forged = [header, payload, tokens[3]?.split('.')[2]].join('.');
    expectRefused(await ask(forged), 'invalid-credentials', INVALID_TOKEN);
    // The claims of a token are looked at with the key that fits, and with no other one.
    for (const [claims, cause] of [
      [{ aud: 'other' }, 'audience'],
      [{ nbf: now() + 3_600 }, 'not yet valid'],
    ] as const) {
      expect((await ask(await anonymous(claims))).status).toBe(401);
      expect(scripted.service.requestLog.at(-1)?.cause).toBe(cause);
    }
  });

  type Misbehaviour = NonNullable<KeyServer['misbehaviour']>;
  let deadline = new AbortController();
  const keySet = (keys: readonly unknown[]): string => JSON.stringify({ keys });
  const hang: Misbehaviour = () => {
    deadline.abort();
  };
  const misbehaviours: [string, Misbehaviour][] = [
    ['hangs', hang],
    ['resets', (response) => response.destroy()],
    ['redirects', (response) => response.writeHead(302, { location: keyServer.url }).end()],
    ['sends HTML', (response) => response.end('<html>')],
    ['sends no set', (response) => response.end('{"keys":"none"}')],
    ['sends no keys', (response) => response.end('{"keys":[1]}')],
    ['sends one key too many', (response) => response.end(keySet(Array(101).fill({ kty: 'RSA' })))],
    ['sends a byte too many', (response) => response.end(keySet([{ kty: 'RSA' }]).padEnd(MIB + 1))],
  ];

  it.each(misbehaviours)('503 for tokens that need keys of a server that %s', async (_, fail) => {
    const ask = await service();
    const known = await lasting();
    expect((await ask(known)).status).toBe(200);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => (deadline = new AbortController()).signal);
    keyServer.misbehaviour = fail;
    await keyServer.add();
    const fresh = [await lasting(), await anonymous()] as const;
    advance(COOLDOWN_MS);
    for (const token of fresh) {
      const response = await ask(token);
      expectProblem(response, 503, 'keys-unavailable');
      expect(response.headers['retry-after']).toBe('1');
    }
    const bad = ['a.b.c', await keyServer.sign({ exp: 1 }), await keyServer.sign({ iss: 'other' })];
    expect(await statusesOf(ask, [known, ...bad])).toEqual([200, 401, 401, 401]);
    advance(999);
    expect(await statusesOf(ask, [...fresh])).toEqual([503, 503]);
    expect(keyServer.fetches).toBe(2);

    jest.mocked(AbortSignal.timeout).mockRestore();
    keyServer.misbehaviour = undefined;
    advance(1);
    expect(await statusesOf(ask, [...fresh])).toEqual([200, 200]);
    expect(keyServer.fetches).toBe(3);
    const { service: running } = scripted;
    const metrics = await running.get('/metrics');
    expect(metrics.body).toContain('shipping_guard_failures_total{failure="keys"} 4\n');
    const lines = running.log.filter((line) => line.includes('token issuer'));
    expect(lines).toEqual([expect.not.stringContaining('127.0.0.1')]);
  });

  it('may be as many and as large as is documented', async () => {
    const { keys } = JSON.parse(keyServer.document) as { keys: unknown[] };
    const all = JSON.stringify({ keys: [...Array<unknown>(99).fill({ kty: 'RSA' }), ...keys] });
    keyServer.misbehaviour = (response) => response.end(all.padEnd(MIB));
    expect((await (await service())(await lasting())).status).toBe(200);
  });

  it('D78 a client that leaves meanwhile makes no upstream call', async () => {
    const ask = await service();
    const { service: running, upstream } = scripted;
    const waiting: ServerResponse[] = [];
    keyServer.misbehaviour = (response) => waiting.push(response);
    const token = await lasting();
    const client = await RawConnection.to(running.url);
    client.send(`GET /api/Shipping/${BY_ID.request} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await eventually('requests for keys that wait', () => waiting.length, Boolean);
    client.leave();
    await eventually('the line of a client that left', () => running.requestLog.some((line) => line.status === 499));
    keyServer.misbehaviour = undefined;
    for (const response of waiting) response.end(keyServer.document);
    // A busy machine can have made the keys come too late.
    const askLater = async (): Promise<number> => {
      advance(1_000);
      return (await ask(token)).status;
    };
    await eventually('status with the keys', askLater, (status) => status !== 503);
    expect(upstream.calls.map(({ path }) => path)).toEqual([DETAILS.externalPath]);
  });
});

describe('D76 algorithms of signatures', () => {
  const guarded = useGuardedService();
  const ALGORITHMS = 'RS384 RS512 PS256 PS384 PS512 ES384 ES512 EdDSA Ed25519'.split(' ');
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    for (const alg of ALGORITHMS) {
      await guarded.keyServer.add(alg);
      tokens[alg] = await guarded.keyServer.sign();
    }
  });

  it.each(ALGORITHMS)('D76 a token that is signed with %s is accepted', async (alg) => {
    expect((await guarded.service.request(DETAILS.request, bearer(tokens[alg] ?? ''))).status).toBe(200);
  });
});
