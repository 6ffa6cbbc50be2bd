import type { ServerResponse } from 'node:http';
import * as oauth from 'oauth4webapi';
import { CLIENT_ID, CLIENT_SECRET, respond, TokenServer } from '../../../../test/support/token-server';
import { authority, expired, sound, wrongHost } from '../../../../test/support/upstream/certificates';
import { refusedUrl } from '../../../../test/support/upstream/refused-url';
import type { OAuthSettings } from '../../../config/credentials.settings';
import type { UpstreamFailure } from '../../../resilience/upstream-failure';
import { TokenEndpoint, type TokenEndpointOptions } from './token-endpoint';

describe('TokenEndpoint', () => {
  let server: TokenServer;

  beforeEach(async () => {
    server = await TokenServer.start();
  });
  afterEach(() => server.close());

  function endpointAt(
    url: string,
    settings: Partial<OAuthSettings> = {},
    options: Partial<TokenEndpointOptions> = {},
  ): TokenEndpoint {
    return new TokenEndpoint({
      oauth,
      settings: {
        kind: 'oauth',
        tokenUrl: new URL(url),
        clientId: CLIENT_ID,
        clientSecret: { value: 'not used', file: undefined },
        clientAuth: 'basic',
        scope: '',
        audience: '',
        ...settings,
      },
      clientSecret: () => CLIENT_SECRET,
      timeoutMs: 20_000,
      authorities: undefined,
      ...options,
    });
  }

  async function failure(endpoint = endpointAt(server.url)): Promise<UpstreamFailure> {
    try {
      await endpoint.fetchToken();
    } catch (error) {
      expect(error).toMatchObject({ name: 'UpstreamFailure', retryable: false, countsAgainstCircuit: true });
      expect(String((error as Error).stack)).not.toContain('hidden-credential');
      return error as UpstreamFailure;
    }
    throw new Error('The fetch did not fail');
  }

  it.each([
    ['6f1c2a34-0b7e-4d5a-9c3e-1a2b3c4d5e6f', 'Az09-._', '6f1c2a34-0b7e-4d5a-9c3e-1a2b3c4d5e6f:Az09-._'],
    ['shipping client', 'a:b%c+d/e=', 'shipping+client:a%3Ab%25c%2Bd%2Fe%3D'],
    ['é', '&"', '%C3%A9:%26%22'],
  ])('D48 sends %s and %s by HTTP Basic, encoded as RFC 6749 needs', async (clientId, secret, sent) => {
    const endpoint = endpointAt(server.url, { clientId }, { clientSecret: () => secret });
    expect(await endpoint.fetchToken()).toEqual({ accessToken: 'hidden-credential-1', expiresIn: 3600 });
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
    expect(request?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect(request?.parameters).toEqual({ grant_type: 'client_credentials' });
  });

  it('D48 sends the client credentials in the body where that is set', async () => {
    await endpointAt(server.url, { clientAuth: 'post' }).fetchToken();
    const [request] = server.requests;
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.parameters).toEqual({
      grant_type: 'client_credentials',
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
    });
  });

  it('D35 sends scope and audience where they are set', async () => {
    await endpointAt(server.url, { scope: 'read:all write', audience: 'https://api.example' }).fetchToken();
    expect(server.requests[0]?.parameters).toEqual({
      grant_type: 'client_credentials',
      scope: 'read:all write',
      audience: 'https://api.example',
    });
  });

  it('D35 reads a token without expires_in, whatever else is in the response', async () => {
    server.misbehaviour = respond(200, { access_token: 'a', token_type: 'BEARER', refresh_token: 'b', more: 1 });
    expect(await endpointAt(server.url).fetchToken()).toEqual({ accessToken: 'a', expiresIn: undefined });
  });

  it.each<[string, (response: ServerResponse) => void, Partial<UpstreamFailure>]>([
    ['400', respond(400, { error: 'hidden-credential' }), { reason: 'upstream-error', message: 'status 400' }],
    ['401', respond(401, {}, { 'WWW-Authenticate': 'Basic' }), { reason: 'upstream-error', message: 'status 401' }],
    ['401 with a code', respond(401, { error: 'invalid_client' }), { reason: 'upstream-error', message: 'status 401 (invalid_client)' }],
    ['401 with a code of another type', respond(401, { error: { code: 'a' } }), { reason: 'upstream-error', message: 'status 401' }],
    ['401 with half a body', (response) => { response.writeHead(401, { 'Content-Length': '99' }).write('{"error":', () => response.destroy()); }, { reason: 'upstream-error', message: 'status 401' }],
    ['500', respond(500, 'hidden-credential'), { reason: 'upstream-error', message: 'status 500' }],
    ['429', respond(429, {}, { 'Retry-After': '7' }), { reason: 'upstream-error', retryAfterMs: 7000 }],
    ['a redirect', respond(302, {}, { Location: '/elsewhere' }), { reason: 'bad-reply', message: 'status 302' }],
    ['no content', respond(204), { reason: 'bad-reply', message: 'status 204' }],
    ['no JSON', respond(200, '<hidden-credential>'), { reason: 'bad-reply' }],
    ['another type', respond(200, {}, { 'Content-Type': 'text/html' }), { reason: 'bad-reply' }],
    ['an array', respond(200, []), { reason: 'bad-reply' }],
    ['no token', respond(200, { token_type: 'bearer' }), { reason: 'bad-reply' }],
    ['no type', respond(200, { access_token: 'hidden-credential' }), { reason: 'bad-reply' }],
    ['a type of its own', respond(200, { access_token: 'a', token_type: 'mac' }), { reason: 'bad-reply' }],
    ['a token for DPoP', respond(200, { access_token: 'a', token_type: 'dpop' }), { reason: 'bad-reply' }],
    ['a negative life', respond(200, { access_token: 'a', token_type: 'bearer', expires_in: -1 }), { reason: 'bad-reply' }],
    ['65,537 bytes', respond(200, 'x'.repeat(65_537)), { reason: 'bad-reply' }],
    ['endless headers', respond(200, {}, { 'X-Long': 'x'.repeat(20_000) }), { reason: 'bad-reply' }],
    ['no HTTP', (response) => response.socket?.end('hidden-credential\r\n\r\n'), { reason: 'bad-reply' }],
    ['half a body', (response) => { response.writeHead(200, { 'Content-Length': '9' }).write('{', () => response.destroy()); }, { reason: 'bad-reply' }],
    ['a reset', (response) => response.socket?.resetAndDestroy(), { reason: 'upstream-unreachable' }],
  ])('D35 %s is a failure with its reason', async (_, misbehaviour, expected) => {
    server.misbehaviour = misbehaviour;
    expect(await failure()).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  }); // prettier-ignore

  it('D35 no connection is upstream-unreachable, with the code', async () => {
    const refused = await failure(endpointAt(await refusedUrl()));
    expect(refused).toMatchObject({ reason: 'upstream-unreachable', message: 'ECONNREFUSED' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['no response', () => undefined],
    ['headers alone', (response) => { response.writeHead(200, { 'Content-Length': '9' }).flushHeaders(); }],
  ])('D35 %s before the time-out is upstream-timeout, and the connection is closed', async (_, misbehaviour) => {
    const closed = new Promise<void>((resolve) => {
      server.misbehaviour = (response) => {
        response.once('close', resolve);
        misbehaviour(response);
      };
    });
    expect((await failure(endpointAt(server.url, {}, { timeoutMs: 300 }))).reason).toBe('upstream-timeout');
    // Only where the time-out came before the request is nothing there to close.
    if (server.requests.length > 0) await closed;
  }); // prettier-ignore

  describe('over TLS', () => {
    const authorities = [authority];
    let secure: TokenServer | undefined;
    afterEach(() => secure?.close());

    it('D35 trusts the given authorities', async () => {
      secure = await TokenServer.start(sound);
      const issued = await endpointAt(secure.url, {}, { authorities }).fetchToken();
      expect(issued.accessToken).toBe('hidden-credential-1');
    });

    it.each([
      ['an unknown issuer', sound, undefined, /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/],
      ['an expired certificate', expired, authorities, /^CERT_HAS_EXPIRED$/],
      ['another host', wrongHost, authorities, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    ])('D35 %s is upstream-unreachable, with the code', async (_, certificate, trusted, message) => {
      secure = await TokenServer.start(certificate);
      const failed = await failure(endpointAt(secure.url, {}, trusted && { authorities: trusted }));
      expect(failed).toMatchObject({ reason: 'upstream-unreachable', message: expect.stringMatching(message) });
      expect(secure.requests).toEqual([]);
    });
  });
});
