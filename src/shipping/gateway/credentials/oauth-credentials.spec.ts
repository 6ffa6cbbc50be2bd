import type { ServerResponse } from 'node:http';
import '../../../../test/support/silent-nest';
import { CLIENT_ID, CLIENT_SECRET, respond, TokenServer } from '../../../../test/support/token-server';
import { refusedUrl } from '../../../../test/support/upstream/refused-url';
import type { OAuthSettings } from '../../../config/settings';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { OAuthCredentials } from './oauth-credentials';

describe('D35 access tokens', () => {
  let server: TokenServer;
  let now: number;

  beforeEach(async () => {
    server = await TokenServer.start();
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await server.close();
  });

  function credentials(settings: Partial<OAuthSettings> = {}, timeoutMs = 20_000): OAuthCredentials {
    const tokenUrl = new URL(server.url);
    const clientSecret = { value: CLIENT_SECRET, file: undefined };
    const common = { kind: 'oauth', tokenUrl, clientId: CLIENT_ID, clientSecret, scope: '', audience: '' } as const;
    return new OAuthCredentials({ ...common, clientAuth: 'basic', ...settings }, timeoutMs);
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

  it('D35 credentials in the body, scope and audience are sent where that is set', async () => {
    await credentials({ clientAuth: 'post', scope: 'read:all write', audience: 'https://api.example' }).headers();
    const [request] = server.requests;
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.parameters).toEqual({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      scope: 'read:all write',
      audience: 'https://api.example',
    });
  });

  it.each([
    ['30 s', 3600, 3_569_999],
    ['a tenth of its life', 100, 89_999],
    ['30 s, at five minutes where no life is given,', undefined, 269_999],
  ])('D35 a token is kept until %s before it expires', async (_, expiresIn, lastMs) => {
    server.expiresIn = expiresIn;
    const tokens = credentials();
    expect(await tokens.headers()).toEqual(token(1));
    now += lastMs;
    expect(tokens.headers()).toEqual(token(1));
    now += 1;
    expect(await tokens.headers()).toEqual(token(2));
  });

  it('D35 a rejected token is replaced once for all, but not again within 10 s', async () => {
    const tokens = credentials();
    const first = await tokens.headers();
    const replaced = await Promise.all([tokens.replace(first), tokens.replace(first)]);
    expect(replaced).toEqual([token(2), token(2)]);
    expect(tokens.replace(first)).toBe(replaced[0]);
    now += 9_999;
    expect(tokens.replace(await tokens.headers())).toBeUndefined();
    expect(tokens.headers()).toEqual(token(2));
    now += 1;
    expect(await tokens.replace(await tokens.headers())).toEqual(token(3));
  });

  it.each<[string, (response: ServerResponse) => void, UpstreamFailure['reason'], string]>([
    ['400', respond(400, { error: 'hidden-credential' }), 'upstream-error', 'status 400'],
    ['401', respond(401, {}, { 'WWW-Authenticate': 'Basic' }), 'upstream-error', 'status 401'],
    ['401 with a code', respond(401, { error: 'invalid_client' }), 'upstream-error', 'status 401 (invalid_client)'],
    ['401 with null', respond(401, 'null'), 'upstream-error', 'status 401'],
    ['a redirect', respond(302, {}, { Location: '/elsewhere' }), 'bad-reply', 'status 302'],
    ['no content', respond(204), 'bad-reply', 'status 204'],
    ['no JSON', respond(200, '<hidden-credential>'), 'bad-reply', 'no bearer token in the response'],
    ['no token', respond(200, { token_type: 'bearer' }), 'bad-reply', 'no bearer token in the response'],
    ['a token for DPoP', respond(200, { access_token: 'a', token_type: 'dpop' }), 'bad-reply', 'no bearer token in the response'],
    ['a token that no header carries', respond(200, { access_token: 'a\n', token_type: 'bearer' }), 'bad-reply', 'no bearer token in the response'],
    ['65,537 bytes', respond(200, 'x'.repeat(65_537)), 'bad-reply', 'no bearer token in the response'],
    ['no HTTP', (response) => response.socket?.end('hidden-credential\r\n\r\n'), 'bad-reply', 'no bearer token in the response'],
    ['half a body', (response) => { response.writeHead(200, { 'Content-Length': '9' }).write('{', () => response.destroy()); }, 'bad-reply', 'no bearer token in the response'],
  ])('D35 a token endpoint with %s is a failure with its reason', async (_, misbehaviour, reason, message) => {
    server.misbehaviour = misbehaviour;
    expect(await failureOf()).toMatchObject({ reason, message });
    expect(server.requests).toHaveLength(1);
  }); // prettier-ignore

  it('D35 no connection is upstream-unreachable, with the code', async () => {
    const refused = await failureOf(credentials({ tokenUrl: new URL(await refusedUrl()) }));
    expect(refused).toMatchObject({ reason: 'upstream-unreachable', message: 'ECONNREFUSED' });
  });

  it('D35 no body before the time-out is upstream-timeout', async () => {
    server.misbehaviour = (response) => {
      response.writeHead(200, { 'Content-Length': '9' }).flushHeaders();
    };
    expect((await failureOf(credentials({}, 100))).reason).toBe('upstream-timeout');
  });
});
