import { gzipSync } from 'node:zlib';
import { refusedUrl } from '../../../../test/support/free-port';
import { useMonotonicClock } from '../../../../test/support/monotonic-clock';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  respond,
  token as issuedToken,
  TokenServer,
} from '../../../../test/support/token-server';
import { causeOf } from '../../../../test/support/units';
import { raw } from '../../../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../../../testing/upstream/exchange';
import { bytes, held } from '../../../../testing/upstream/responses';
import type { OAuthSettings } from '../../../config/settings';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { OAuthCredentials } from './upstream-credentials';

const REJECTED = { status: 401, headers: {} };
const PREFIX = 'The token endpoint issues no access token: ';

describe('D35 access tokens', () => {
  let server: TokenServer;
  const clock = useMonotonicClock();

  beforeEach(async () => {
    clock.stop();
    server = await TokenServer.start();
  });
  afterEach(() => server.close());

  function credentials(settings: Partial<OAuthSettings> = {}): OAuthCredentials {
    const tokenUrl = new URL(server.url);
    const clientSecret = { value: CLIENT_SECRET, file: undefined };
    const common = { kind: 'oauth', tokenUrl, clientId: CLIENT_ID, clientSecret, scope: '', audience: '' } as const;
    return new OAuthCredentials({ ...common, clientAuth: 'basic', ...settings }, 20_000);
  }

  const token = (number: number) => ({ Authorization: `Bearer hidden-credential-${number}` });

  async function failureOf(failing = credentials()): Promise<UpstreamFailure> {
    const error: unknown = await Promise.resolve(failing.headers()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UpstreamFailure);
    expect(error).toMatchObject({ retryable: false, countsAgainstCircuit: true });
    expect(String((error as Error).stack)).not.toContain('hidden-credential');
    return error as UpstreamFailure;
  }

  it.each([
    ['6f1c2a34-0b7e-4d5a-9c3e-1a2b3c4d5e6f', 'Az09-._', '6f1c2a34-0b7e-4d5a-9c3e-1a2b3c4d5e6f:Az09-._'],
    ['shipping client', 'a:b%c+d/e=', 'shipping+client:a%3Ab%25c%2Bd%2Fe%3D'],
    ['é', '&"', '%C3%A9:%26%22'],
  ])('D35 %s and %s are sent by HTTP Basic, encoded as RFC 6749 needs', async (clientId, value, sent) => {
    await credentials({ clientId, clientSecret: { value, file: undefined } }).headers();
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
    expect(request?.parameters).toEqual({ grant_type: 'client_credentials' });
  });

  it('D16 D35 credentials in the body, scope, audience and User-Agent are sent', async () => {
    await credentials({ clientAuth: 'post', scope: 'read:all write', audience: 'https://api.example' }).headers();
    const [request] = server.requests;
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.headers['user-agent']).toMatch(/^shipping-query-service\/\d+\.\d+\.\d+$/);
    const client = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
    expect(request?.parameters).toEqual({ ...client, scope: 'read:all write', audience: 'https://api.example' });
  });

  it.each([
    ['30 s', 3600, 3_569_999],
    ['a tenth of its life', 100, 89_999],
    ['30 s, at five minutes where no life is given,', undefined, 269_999],
  ])('D35 a token is kept until %s before it expires', async (_, expiresIn, lastMs) => {
    server.expiresIn = expiresIn;
    const tokens = credentials();
    expect(await tokens.headers()).toEqual(token(1));
    clock.advance(lastMs);
    expect(tokens.headers()).toEqual(token(1));
    clock.advance(1);
    expect(await tokens.headers()).toEqual(token(2));
  });

  it('D35 a rejected token is replaced once for all, but not again within 10 s', async () => {
    const tokens = credentials();
    const [first = {}, ...others] = await Promise.all(Array.from({ length: 20 }, async () => tokens.headers()));
    for (const other of others) expect(other).toBe(first);
    const asksForPause = { status: 403, headers: { 'retry-after': '30' } };
    expect(tokens.replace(first, asksForPause, 'paged')).toBeUndefined();
    const replaced = await Promise.all([
      tokens.replace(first, REJECTED, 'paged'),
      tokens.replace(first, REJECTED, 'paged'),
    ]);
    expect(replaced).toEqual([token(2), token(2)]);
    expect(tokens.replace(first, REJECTED, 'paged')).toBe(replaced[0]);
    clock.advance(9_999);
    expect(tokens.replace(await tokens.headers(), REJECTED, 'paged')).toBeUndefined();
    expect(tokens.headers()).toEqual(token(2));
    clock.advance(1);
    expect(await tokens.replace(await tokens.headers(), REJECTED, 'paged')).toEqual(token(3));
  });

  it('D35 a rejected token stays in use while another one is fetched', async () => {
    const tokens = credentials();
    const first = await tokens.headers();
    const { behaviour, release } = held(issuedToken(2));
    server.misbehaviour = behaviour;
    const replaced = tokens.replace(first, REJECTED, 'paged');
    expect(tokens.headers()).toBe(first);
    release();
    expect(await replaced).toEqual(token(2));
    expect(tokens.headers()).toEqual(token(2));
  });

  it('D35 a rejected token stays in use where the token endpoint issues no other one', async () => {
    const tokens = credentials();
    const first = await tokens.headers();
    server.misbehaviour = respond(503);
    await expect(Promise.resolve(tokens.replace(first, REJECTED, 'paged'))).rejects.toBeInstanceOf(UpstreamFailure);
    expect(tokens.headers()).toBe(first);
    server.misbehaviour = undefined;
    expect(await tokens.replace(first, REJECTED, 'paged')).toEqual(token(3));
    expect(tokens.replace(await tokens.headers(), REJECTED, 'paged')).toBeUndefined();
  });

  const grown = bytes(gzipSync(' '.repeat(65_537)), { 'Content-Encoding': 'gzip' });
  const half = raw(`${responseHead(200, { 'Content-Length': '9', Connection: 'close' })}{`);
  const html = respond(200, '<p>', { 'Content-Type': 'text/html; charset=x' });
  const issued = (members: object): Behaviour => respond(200, { access_token: 'a', ...members });
  it.each<[string, Behaviour, UpstreamFailure['reason'], string]>([
    ['400', respond(400, { error: 'some_text_of_the_issuer' }), 'upstream-error', 'status 400'],
    ['401', respond(401, {}, { 'WWW-Authenticate': 'Basic' }), 'upstream-error', 'status 401'],
    ['401 with a code', respond(401, { error: 'invalid_client' }), 'upstream-error', 'status 401 (invalid_client)'],
    ['a redirect', respond(302, {}, { Location: '/elsewhere' }), 'bad-reply', 'status 302'],
    ['an empty body', respond(200, ''), 'bad-reply', 'body: absent'],
    ['no JSON', respond(200, '<hidden-credential>'), 'bad-reply', 'no JSON: other text'],
    ['a list', respond(200, [{ access_token: 'hidden-credential' }]), 'bad-reply', 'body: array'],
    ['HTML', html, 'bad-reply', 'no JSON: HTML, content type text/html'],
    ['no token', respond(200, { token_type: 'bearer' }), 'bad-reply', 'access_token: absent'],
    ['an error', respond(200, { error: 'invalid_client' }), 'bad-reply', 'access_token: absent (invalid_client)'],
    ['an error of no standard', respond(200, { error: 'hidden' }), 'bad-reply', 'access_token: absent'],
    ['a number for a token', issued({ access_token: 5 }), 'bad-reply', 'access_token: number'],
    ['a token for DPoP', issued({ token_type: 'DPoP' }), 'bad-reply', 'token_type: not bearer'],
    ['a list of types', issued({ token_type: ['bearer'] }), 'bad-reply', 'token_type: not bearer'],
    ['two lines', issued({ access_token: 'a\n' }), 'bad-reply', 'access_token: a text that no header can carry'],
    ['65,537 bytes', respond(200, 'x'.repeat(65_537)), 'bad-reply', 'larger than 65536 bytes'],
    ['a small body that grows', grown, 'bad-reply', 'larger than 65536 bytes'],
    ['no HTTP', raw('hidden-credential\r\n\r\n'), 'bad-reply', 'no valid HTTP: Expected HTTP/, RTSP/ or ICE/'],
    ['half a body', half, 'bad-reply', 'body incomplete: UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
  ])('D81 a token endpoint with %s is a failure with its reason, and says why', async (...row) => {
    const [, misbehaviour, reason, cause] = row;
    server.misbehaviour = misbehaviour;
    const failure = await failureOf();
    expect([failure.reason, causeOf(failure)]).toEqual([reason, PREFIX + cause]);
    expect(failure.refusedBy).toBe(reason === 'upstream-error' ? 'system' : undefined);
    expect(server.requests).toHaveLength(1);
  });

  const NULLS = { scope: null, refresh_token: null, id_token: null, token_type: null, expires_in: null };
  it.each<[string, object, number, number]>([
    ['null members', NULLS, 200, 300],
    ['no type', { token_type: undefined, expires_in: 60 }, 200, 60],
    ['a list as scope', { scope: ['read', 'write'], expires_in: 60 }, 200, 60],
    ['status 201', { expires_in: 60 }, 201, 60],
    ['a life as text', { expires_in: '3599.0' }, 200, 3599],
    ['a life of 0', { expires_in: 0 }, 200, 300],
    ['a life of no number', { expires_in: 'never' }, 200, 300],
    ['BearerToken', { token_type: 'BearerToken', expires_in: 60 }, 200, 60],
    ['an id_token of no use', { id_token: 'a.b.c', expires_in: 60 }, 200, 60],
  ])('D35 a response with %s is accepted', async (_, members, status, lifeS) => {
    const body = { access_token: 'hidden-credential-1', token_type: 'bearer', ...members };
    server.misbehaviour = respond(status, body, { 'Content-Type': 'application/json;charset=UTF-8' });
    const tokens = credentials();
    expect(await tokens.headers()).toEqual(token(1));
    clock.advance(lifeS * 1000 - Math.min(30_000, lifeS * 100) - 1);
    await tokens.headers();
    expect(server.requests).toHaveLength(1);
    clock.advance(1);
    await tokens.headers();
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    [429, '5', 5_000],
    [503, '2', 2_000],
    [429, '120', 60_000],
    [503, 'Wed, 21 Oct 2099 07:28:00 GMT', 60_000],
  ])('D35 a pause that is asked for by %d with %s is kept, one minute at most', async (status, header, pauseMs) => {
    const tokens = credentials();
    server.misbehaviour = respond(status, {}, { 'Retry-After': header });
    const { refusedBy, causes } = await failureOf(tokens);
    expect([refusedBy, causes[0]?.what]).toEqual([undefined, `${PREFIX}status ${status}`]);
    server.misbehaviour = undefined;
    clock.advance(pauseMs - 1);
    const paused = await failureOf(tokens);
    expect([paused.reason, causeOf(paused)]).toEqual(['upstream-error', `${PREFIX}a pause that it asked for`]);
    expect(server.requests).toHaveLength(1);
    clock.advance(1);
    expect(await tokens.headers()).toEqual(token(2));
  });

  it('D35 a pause is kept whatever the body is', async () => {
    const tokens = credentials();
    server.misbehaviour = respond(503, { page: 'x'.repeat(70_000) }, { 'Retry-After': '5' });
    await failureOf(tokens);
    expect(causeOf(await failureOf(tokens))).toBe(`${PREFIX}a pause that it asked for`);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [429, undefined],
    [503, 'soon'],
    [400, '5'],
  ])('D35 %d with Retry-After %s asks for no pause', async (status, header) => {
    server.misbehaviour = respond(status, {}, header === undefined ? {} : { 'Retry-After': header });
    const tokens = credentials();
    await failureOf(tokens);
    server.misbehaviour = undefined;
    expect(await tokens.headers()).toEqual(token(2));
  });

  it('D35 no connection is upstream-unreachable, with the code', async () => {
    const refused = await failureOf(credentials({ tokenUrl: new URL(await refusedUrl()) }));
    expect(refused).toMatchObject({
      reason: 'upstream-unreachable',
      causes: [{ what: `${PREFIX}no connection: ECONNREFUSED` }],
    });
  });

  it('D35 no body before the time-out is upstream-timeout', async () => {
    const clock = new AbortController();
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
    server.misbehaviour = {
      perform: async (exchange) => {
        await exchange.write(responseHead(200, { 'Content-Length': '9' }));
        clock.abort();
      },
    };
    const causes = [{ what: `${PREFIX}time-out: no response in time` }];
    expect(await failureOf()).toMatchObject({ reason: 'upstream-timeout', causes });
  });
});
