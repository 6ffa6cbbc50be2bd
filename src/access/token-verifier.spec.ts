import * as jose from 'jose';
import { setTimeout } from 'node:timers/promises';
import { useLoggedLines } from '../../test/support/logged-lines';
import { useHeldDate } from '../../test/support/wall-clock';
import { AUDIENCE, ISSUER, KeyServer } from '../../testing/key-server';
import { readSettings } from '../config/settings';
import { PROBLEMS } from '../http/problems/problem-definitions';
import { TokenVerifier } from './token-verifier';

let keyServer: KeyServer;
let verifier: TokenVerifier;
/** Whether the last token had to be verified. */
let isVerified: boolean;
const holdDate = useHeldDate();
const lines = useLoggedLines();

function use(env: Readonly<Record<string, string>> = {}): void {
  const { token } = readSettings({ ...keyServer.env, ...env }).access;
  if (token === undefined) throw new Error('No settings for tokens');
  const decodeJwt: typeof jose.decodeJwt = <Claims>(given: string) => {
    isVerified = true;
    return jose.decodeJwt<Claims>(given);
  };
  verifier = new TokenVerifier({ ...jose, decodeJwt }, token);
}
beforeEach(async () => {
  holdDate();
  jest.spyOn(performance, 'now').mockReturnValue(Math.floor(performance.now()));
  keyServer = await KeyServer.start();
  use();
});
afterEach(() => keyServer.close());

async function advance(ms: number): Promise<void> {
  jest.setSystemTime(Date.now() + ms);
  jest.mocked(performance.now).mockReturnValue(performance.now() + ms);
  // The cache of tokens reads the clock once a millisecond.
  await setTimeout(2);
}

/** The status of a request with this token, why the token is refused, and whether it had to be verified. */
async function verify(token: string): Promise<{ status: number; cause?: string; isVerified: boolean }> {
  isVerified = false;
  const { problem, cause } = await verifier.verify(token);
  return { status: problem?.status ?? 200, cause, isVerified };
}
const statusOf = async (token: string): Promise<number> => (await verify(token)).status;
const statusesOf = (tokens: readonly string[]): Promise<number[]> => Promise.all(tokens.map(statusOf));

const now = (): number => Math.floor(Date.now() / 1000);
const lasting = (claims = {}): Promise<string> => keyServer.sign({ exp: now() + 999_999, ...claims });
const anonymous = (claims = {}): Promise<string> =>
  keyServer.sign({ exp: now() + 3_600, ...claims }, { kid: undefined });
const unknown = (index: number, claims = {}): Promise<string> => keyServer.sign(claims, { kid: `none-${index}` });
const forged = (token: string): string => `${token.slice(0, -8)}AAAAAAAA`;

const COOLDOWN_MS = 10_000;
const DAY_MS = 86_400_000;
const MIB = 1_048_576;

describe('D76 a token', () => {
  const claims = (): Record<string, unknown> => ({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: now() + 300 });

  async function signedByStranger(header: Record<string, unknown>): Promise<string> {
    const { publicKey, privateKey } = await jose.generateKeyPair('ES256');
    const jwk = header.jwk === true ? { jwk: await jose.exportJWK(publicKey) } : {};
    return new jose.SignJWT(claims()).setProtectedHeader({ alg: 'ES256', ...header, ...jwk }).sign(privateKey);
  }
  /** Signed with the public key as a secret. */
  async function hmac(): Promise<string> {
    const secret = new TextEncoder().encode(JSON.stringify(keyServer.key.jwk));
    return new jose.SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: keyServer.key.jwk.kid }).sign(secret);
  }
  async function withOtherClaims(): Promise<string> {
    const [header, , signature] = (await keyServer.sign()).split('.');
    return [header, Buffer.from(JSON.stringify({ ...claims(), sub: 'root' })).toString('base64url'), signature].join(
      '.',
    );
  }

  it.each<[string, () => Record<string, unknown>, Record<string, unknown>]>([
    ['a list of audiences', () => ({ aud: ['other', AUDIENCE] }), {}],
    ['clocks apart by less than the skew, expiry', () => ({ exp: now() - 10 }), {}],
    ['clocks apart by less than the skew, start', () => ({ nbf: now() + 10 }), {}],
    ['nobody named', () => ({ sub: undefined }), {}],
    ['the type of access tokens in full', () => ({}), { typ: 'application/at+JWT' }],
  ])('with %s is valid', async (_, changed, header) => {
    expect(await statusOf(await keyServer.sign(changed(), header))).toBe(200);
  });

  it.each<[string, string, () => Promise<string> | string]>([
    ['that never expires', 'without expiry', () => keyServer.sign({ exp: undefined })],
    ['that expired before the skew of 30 s', 'expired', () => keyServer.sign({ exp: now() - 31 })],
    ['that is not valid yet', 'not yet valid', () => keyServer.sign({ nbf: now() + 86_400 })],
    ['of another issuer', 'issuer', () => keyServer.sign({ iss: `${ISSUER}/` })],
    ['for another audience', 'audience', () => keyServer.sign({ aud: 'other' })],
    ['of another type', 'type', () => keyServer.sign({}, { typ: 'logout+jwt' })],
    ['that names an unknown key', 'unknown key', () => keyServer.sign({}, { kid: 'unknown' })],
    ['unsigned', 'algorithm', () => new jose.UnsecuredJWT(claims()).encode()],
    ['signed with the public key as a secret', 'algorithm', hmac],
    ['of another key of the same name', 'signature', () => signedByStranger({ kid: keyServer.key.jwk.kid })],
    ['signed with a key that it brings along', 'signature', () => signedByStranger({ jwk: true })],
    ['of a key elsewhere', 'signature', () => signedByStranger({ jku: keyServer.url, x5u: keyServer.url })],
    ['with its claims changed', 'signature', withOtherClaims],
    ['empty', 'malformed', () => ''],
  ])('%s is refused, and fetches no keys; D81 the cause: %s', async (_, cause, forge) => {
    await verify(await keyServer.sign());
    expect(await verify(await forge())).toEqual({ status: 401, cause, isVerified: true });
    expect(keyServer.fetches).toBe(1);
  });

  it.each([
    [200, { scope: 'shipping.read orders.read' }],
    [200, { scp: ['shipping.read', 'orders.read'] }],
    [200, { scp: 'shipping.read orders.read' }],
    [200, { roles: ['shipping.read', 'orders.read'] }],
    [403, { scope: 'orders.read', roles: ['shipping.read', 'orders.read'] }],
    [403, { scp: [], roles: ['shipping.read', 'orders.read'] }],
    [403, {}],
    [403, { scope: 'shipping.read' }],
    [403, { scope: 'shipping.reader orders.read' }],
    [403, { scope: { 'shipping.read': true } }],
  ])('is %i by AUTH_SCOPE with %j', async (status, scopes) => {
    use({ AUTH_SCOPE: 'shipping.read  orders.read' });
    const cause = status === 403 ? 'scope' : undefined;
    expect(await verify(await keyServer.sign(scopes))).toEqual({ status, cause, isVerified: true });
  });

  it.each('RS384 RS512 PS256 PS384 PS512 ES384 ES512 EdDSA Ed25519'.split(' '))(
    'may be signed with %s',
    async (alg) => {
      await keyServer.add(alg);
      expect(await statusOf(await keyServer.sign())).toBe(200);
    },
  );

  it('is remembered for ten minutes, whatever is forged', async () => {
    const known = await lasting();
    expect(await verify(known)).toMatchObject({ status: 200, isVerified: true });
    const [header, payload] = (await lasting({ sub: 'other' })).split('.');
    expect(await statusOf([header, payload, known.split('.')[2]].join('.'))).toBe(401);
    await advance(599_999);
    expect(await verify(known)).toMatchObject({ status: 200, isVerified: false });
    await advance(1);
    expect(await verify(known)).toMatchObject({ status: 200, isVerified: true });
  });

  it('is refused once it has expired', async () => {
    const token = await keyServer.sign({ exp: now() + 60 });
    expect(await statusOf(token)).toBe(200);
    await advance(89_000 - (Date.now() % 1000));
    expect(await statusOf(token)).toBe(200);
    await advance(1_000);
    const { problem } = await verifier.verify(token);
    expect(problem).toBe(PROBLEMS.expiredToken);
  });

  it.each(['ES256', 'RS256'])('without kid is verified with each fitting key (%s)', async (alg) => {
    await keyServer.rotate(alg);
    const tokens = [await anonymous()];
    for (const next of [alg, 'EdDSA', alg]) {
      await keyServer.add(next);
      tokens.push(await anonymous());
    }
    expect(await statusesOf(tokens)).toEqual([200, 200, 200, 200]);
    const [header, payload] = (await anonymous({ sub: 'root' })).split('.');
    const other = [header, payload, tokens[3]?.split('.')[2]].join('.');
    expect(await verify(other)).toMatchObject({ status: 401, cause: 'signature' });
    // The claims of a token are looked at with the key that fits, and with no other one.
    expect((await verify(await anonymous({ aud: 'other' }))).cause).toBe('audience');
    expect((await verify(await anonymous({ nbf: now() + 3_600 }))).cause).toBe('not yet valid');
  });
});

describe('D76 keys of the issuer', () => {
  it.each([
    ['with kid', lasting],
    ['without kid', anonymous],
  ])('are fetched once for tokens %s, and again after ten seconds', async (_, sign) => {
    const tokens = async (): Promise<string[]> => Promise.all(Array.from({ length: 20 }, (__, jti) => sign({ jti })));
    expect(new Set(await statusesOf(await tokens()))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(1);
    await keyServer.rotate();
    const rotated = await tokens();
    await advance(COOLDOWN_MS - 1);
    expect(await statusOf(await sign())).toBe(401);
    await advance(1);
    expect(new Set(await statusesOf(rotated))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(2);
  });

  it.each([
    { tokens: 'of unknown keys', sign: (index: number) => unknown(index), fetches: 1 },
    { tokens: 'without kid', sign: () => anonymous().then(forged), fetches: 1 },
    { tokens: 'forged', sign: () => lasting().then(forged), fetches: 0 },
    { tokens: 'of another issuer', sign: (index: number) => unknown(index, { iss: 'other' }), fetches: 0 },
    { tokens: 'expired', sign: (index: number) => unknown(index, { exp: now() - 31 }), fetches: 0 },
  ])('are fetched at most every ten seconds for tokens $tokens', async ({ sign, fetches }) => {
    expect(await statusOf(await lasting())).toBe(200);
    await advance(COOLDOWN_MS);
    for (let index = 0; index < 5; index += 1) expect(await statusOf(await sign(index))).toBe(401);
    expect(keyServer.fetches).toBe(1 + fetches);
  });

  it('are trusted for a day', async () => {
    const withdrawn = await Promise.all([lasting({ jti: 1 }), lasting({ jti: 2 }), lasting({ jti: 3 })]);
    expect(await statusOf(withdrawn[0])).toBe(200);
    await keyServer.rotate();
    await advance(DAY_MS - 1);
    expect(await statusOf(withdrawn[1])).toBe(200);
    await advance(1);
    expect(await statusOf(withdrawn[2])).toBe(401);
    keyServer.misbehaviour = (response) => response.destroy();
    await advance(DAY_MS);
    expect(await statusOf(await lasting())).toBe(503);
  });

  type Misbehaviour = NonNullable<KeyServer['misbehaviour']>;
  let deadline = new AbortController();
  const keySet = (keys: readonly unknown[]): string => JSON.stringify({ keys });
  const hang: Misbehaviour = () => {
    deadline.abort();
  };
  it.each<[string, Misbehaviour]>([
    ['hangs', hang],
    ['resets', (response) => response.destroy()],
    ['redirects', (response) => response.writeHead(302, { location: keyServer.url }).end()],
    ['sends HTML', (response) => response.end('<html>')],
    ['sends no set', (response) => response.end('{"keys":"none"}')],
    ['sends no keys', (response) => response.end('{"keys":[1]}')],
    ['sends one key too many', (response) => response.end(keySet(Array(101).fill({ kty: 'RSA' })))],
    ['sends a byte too many', (response) => response.end(keySet([{ kty: 'RSA' }]).padEnd(MIB + 1))],
  ])('503 for tokens that need keys of a server that %s', async (_, fail) => {
    const known = await lasting();
    expect(await statusOf(known)).toBe(200);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => (deadline = new AbortController()).signal);
    keyServer.misbehaviour = fail;
    await keyServer.add();
    const fresh = [await lasting(), await anonymous()] as const;
    await advance(COOLDOWN_MS);
    for (const token of fresh) expect(await verify(token)).toMatchObject({ status: 503, cause: 'keys unavailable' });
    const bad = ['a.b.c', await keyServer.sign({ exp: 1 }), await keyServer.sign({ iss: 'other' })];
    expect(await statusesOf([known, ...bad])).toEqual([200, 401, 401, 401]);
    await advance(999);
    expect(await statusesOf(fresh)).toEqual([503, 503]);
    expect(keyServer.fetches).toBe(2);

    jest.mocked(AbortSignal.timeout).mockRestore();
    keyServer.misbehaviour = undefined;
    await advance(1);
    expect(await statusesOf(fresh)).toEqual([200, 200]);
    expect(keyServer.fetches).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(/^The keys of the token issuer cannot be fetched: (?!.*127\.0\.0\.1)/),
    ]);
  });

  it('may be as many and as large as is documented', async () => {
    const { keys } = JSON.parse(keyServer.document) as { keys: unknown[] };
    const all = keySet([...Array<unknown>(99).fill({ kty: 'RSA' }), ...keys]);
    keyServer.misbehaviour = (response) => response.end(all.padEnd(MIB));
    expect(await statusOf(await lasting())).toBe(200);
  });
});

/** How many of so many tokens with these claims are remembered when all were verified. */
async function remembered(count: number, claims: Record<string, unknown>): Promise<number> {
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) tokens.push(await keyServer.sign({ ...claims, sub: `S-${index}` }));
  for (const token of tokens) expect((await verify(token)).isVerified).toBe(true);
  let known = 0;
  // The newest first: verifying one that is forgotten may push out another, but none of those before it.
  for (const token of tokens.reverse()) if (!(await verify(token)).isVerified) known += 1;
  return known;
}

it('D76 remembers tokens up to 16 MiB of memory, whatever their claims are', async () => {
  expect(await remembered(200, { roles: ['reader'] })).toBe(200);
  const known = await remembered(100, { name: 'x'.repeat(MIB / 8) });
  expect([known > 50, known <= 64]).toEqual([true, true]);
});
