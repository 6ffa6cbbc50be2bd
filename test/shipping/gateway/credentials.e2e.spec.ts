import { X509Certificate } from 'node:crypto';
import { neverResponds, resetsBeforeHeaders } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { status, validResponse } from '../../../testing/upstream/responses';
import { type Script, ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { expectProblem, expectResponse, expectUnavailable } from '../../support/expected';
import { useFolder } from '../../support/folder';
import { useMonotonicClock } from '../../support/monotonic-clock';
import { DETAILS, OPERATIONS, STRICT } from '../../support/operations';
import { PATIENT, RunningService, type ScriptedService, useClosing, useStart } from '../../support/service';
import { respond, TokenServer } from '../../support/token-server';
import {
  authority,
  authorityFile,
  clientCertificates,
  expired,
  selfSigned,
  validCertificate,
  wrongHost,
} from '../../support/upstream/certificates';

const closedLater = useClosing();
const start = useStart(PATIENT);
const { file } = useFolder();

const { advance } = useMonotonicClock();

const sent = ({ upstream }: ScriptedService, header = 'authorization'): unknown[] =>
  upstream.calls.map(({ headers }) => headers[header]);

describe('D35 tokens and API keys', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['a token', { TOKEN: 't' }, 'authorization', 'Bearer t'],
    ['a token of another scheme', { TOKEN: 'dTpw', TOKEN_SCHEME: 'Basic' }, 'authorization', 'Basic dTpw'],
    ['a token without a scheme', { API_KEY: 'k', API_KEY_HEADER: 'Authorization' }, 'authorization', 'k'],
    ['an API key', { API_KEY: 'k' }, 'x-api-key', 'k'],
    ['an API key in its header', { API_KEY: 'k', API_KEY_HEADER: 'Ocp-Key' }, 'ocp-key', 'k'],
  ])('D35 each operation sends %s', async (_, settings, header, value) => {
    const named = Object.entries(settings).map(([name, text]) => [`EXTERNAL_SHIPPING_${name}`, text] as const);
    const scripted = await start(Object.fromEntries(named));
    for (const { request } of OPERATIONS) expectResponse(await scripted.service.request(request), 'complete');
    expect(sent(scripted, header)).toEqual(OPERATIONS.map(() => value));
  });

  it.each([
    ['EXTERNAL_SHIPPING_TOKEN_FILE', 'authorization', 'Bearer '],
    ['EXTERNAL_SHIPPING_API_KEY_FILE', 'x-api-key', ''],
  ])('D35 rotated within a second: %s', async (variable, header, prefix) => {
    const path = file('rotated', 'hidden-credential-1\n');
    const scripted = await start({ [variable]: path });
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    file('rotated', 'hidden-credential-2\n');
    advance(1_000);
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    expect(sent(scripted, header)).toEqual([`${prefix}hidden-credential-1`, `${prefix}hidden-credential-2`]);
    expect(scripted.service.log.join()).not.toContain('hidden');
  });
});

describe('D35 OAuth 2.0 client credentials', () => {
  let tokens: TokenServer;

  beforeEach(async () => {
    tokens = closedLater(await TokenServer.start());
  });

  const startWithTokens = (env: Readonly<Record<string, string>> = {}): Promise<ScriptedService> =>
    start({ ...tokens.env, ...env });
  const lookUp = ({ service }: ScriptedService, id: number) => service.request(`GetShippingInfoById/SHP-${id}`);

  const refusing =
    (refuses: (token: string, path: string) => boolean): Script =>
    (call) =>
      refuses(String(call.headers.authorization), call.path) ? status(403) : validResponse(call);

  it('D35 a missing permission fetches one token, an operation that was served replaces it again', async () => {
    const scripted = await startWithTokens();
    const isLookup = (path: string): boolean => path.includes('/by-id/');
    scripted.upstream.respondWith(refusing((_, path) => isLookup(path)));
    for (let time = 0; time < 3; time += 1) {
      await lookUp(scripted, time);
      expectResponse(await scripted.service.request(DETAILS.request), 'complete');
      advance(11_000);
    }
    expect(tokens.requests).toHaveLength(2);
    scripted.upstream.respondWith(refusing((token, path) => isLookup(path) || token.endsWith('-2')));
    await lookUp(scripted, 4);
    expect(tokens.requests).toHaveLength(2);
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    expect(tokens.requests).toHaveLength(3);
  });

  const REFUSAL = { error: 'invalid_client', error_description: 'hidden-credential' };
  it.each([
    ['a refusal', 'upstream-error', 502, respond(401, REFUSAL)],
    ['a reset', 'upstream-unreachable', 503, resetsBeforeHeaders()],
  ])('D35 a token endpoint with %s: %s', async (_, reason, strictStatus, misbehaviour) => {
    tokens.misbehaviour = misbehaviour;
    const scripted = await startWithTokens({ LOG_LEVEL: 'trace' });
    expectUnavailable(DETAILS, await scripted.service.request(DETAILS.request), reason);
    const strict = await scripted.service.request(DETAILS.request, STRICT);
    expectProblem(strict, strictStatus, 'external-system-failed');
    expect(strict.json().reason).toBe(reason);
    expect(scripted.upstream.calls).toEqual([]);
    const told = 'The external system failed: details: The token endpoint issues no access token: ';
    expect(scripted.service.messages(told)).toHaveLength(1);
    expect(scripted.service.log.join()).not.toContain('hidden-credential');
  });

  const TOKENS = ['its first access token', 'another one after a 401'];
  it.each(TOKENS)('D35 D81 a time-out names %s', async (what) => {
    const once = { EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '1000' };
    const scripted = await startWithTokens(once);
    const deadline = new AbortController();
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    if (what !== TOKENS[0]) {
      await lookUp(scripted, 1);
      scripted.upstream.respondWith(status(401));
    }
    tokens.misbehaviour = neverResponds();
    expectUnavailable(DETAILS, await scripted.service.request(DETAILS.request), 'upstream-timeout');
    const cause = '"cause":"time-out: no access token within 1000 ms"';
    await eventually('a log line with the cause', () => scripted.service.log.some((line) => line.includes(cause)));
    deadline.abort();
  });

  it('D35 secret and tokens appear nowhere', async () => {
    const scripted = await startWithTokens({ DOCS: 'on', LOG_LEVEL: 'trace', EXTERNAL_SHIPPING_OAUTH_AUDIENCE: 'api' });
    const bodies = [await lookUp(scripted, 1)];
    scripted.upstream.respondWith(status(401));
    bodies.push(await lookUp(scripted, 2), await scripted.service.request(DETAILS.request, STRICT));
    const { service } = scripted;
    for (const path of ['/metrics', '/health/ready?details', '/openapi.json']) bodies.push(await service.get(path));
    await scripted.service.untilLogged(bodies.length);
    expect(sent(scripted)[0]).toContain('hidden-credential');
    for (const { body, headers } of bodies) expect(body + JSON.stringify(headers)).not.toContain('hidden-credential');
    expect(scripted.service.log.join()).not.toContain('hidden-credential');
  });
});

describe('D35 TLS', () => {
  const { client } = clientCertificates;

  const ONE_ATTEMPT = { EXTERNAL_SHIPPING_CA_FILE: authorityFile, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
  const MUTUAL = { ...validCertificate, ca: authority, requestCert: true };
  const CERTIFICATES = {
    EXTERNAL_SHIPPING_CA_FILE: authorityFile,
    EXTERNAL_SHIPPING_CLIENT_CERT_FILE: file('cert', client.cert),
    EXTERNAL_SHIPPING_CLIENT_KEY_FILE: file('key', client.key),
  };

  async function serviceOf(url: string, env: Readonly<Record<string, string>>): Promise<RunningService> {
    return closedLater(await RunningService.start({ ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url, ...env }));
  }

  it('D35 the external system gets the client certificate', async () => {
    const upstream = closedLater(await ScriptedUpstream.start({ tls: MUTUAL }));
    upstream.respondWith(validResponse);
    const service = await serviceOf(upstream.url, CERTIFICATES);
    expectResponse(await service.request(DETAILS.request), 'complete');
    expect(upstream.calls.map(({ certificate }) => certificate)).toEqual(['client']);
    // For the alert: when both certificates expire.
    for (const [name, { cert }] of Object.entries({ server: validCertificate, client })) {
      const metric = `external_shipping_certificate_expiry_timestamp_seconds{certificate="${name}"}`;
      expect(await service.metric(metric)).toBe(Date.parse(new X509Certificate(cert).validTo) / 1000);
    }
  });

  it('D35 the token endpoint gets no client certificate', async () => {
    const asking = { requestCert: true, rejectUnauthorized: false };
    const tokens = closedLater(await TokenServer.start({ ...validCertificate, ca: authority, ...asking }));
    const scripted = await start({ ...tokens.env, ...CERTIFICATES });
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    expect(tokens.requests.map(({ certificate }) => certificate)).toEqual([undefined]);
  });

  it.each([
    ['TLSv1.3', 'no connection: ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    ['TLSv1.2', expect.stringMatching(/^no connection: ERR_SSL_SSL.*_ALERT_HANDSHAKE_FAILURE$/)],
  ] as const)('D35 D81 no client certificate, %s: its alert is named', async (maxVersion, cause) => {
    const { url } = closedLater(await ScriptedUpstream.start({ tls: { ...MUTUAL, maxVersion } }));
    const service = await serviceOf(url, ONE_ATTEMPT);
    for (let call = 0; call < 3; call += 1) {
      expectUnavailable(DETAILS, await service.request(DETAILS.request), 'upstream-unreachable');
      expect(service.requestLog.at(-1)?.cause).toEqual(cause);
    }
  });

  it.each([
    ['an unknown issuer', selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['an expired certificate', expired, 'CERT_HAS_EXPIRED'],
    ['another host', wrongHost, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('D35 D81 %s is logged by its code', async (_, tls, code) => {
    const upstream = closedLater(await ScriptedUpstream.start({ tls }));
    const service = await serviceOf(upstream.url, ONE_ATTEMPT);
    expectUnavailable(DETAILS, await service.request(DETAILS.request), 'upstream-unreachable');
    const strict = await service.request(DETAILS.request, STRICT);
    expectProblem(strict, 503, 'external-system-failed');
    expect(strict.body).not.toMatch(/TLS|CERT/);
    expect(service.messages(`The external system failed: details: no connection: ${code}`)).toHaveLength(1);
    expect(service.requestLog.at(-1)?.cause).toBe(`no connection: ${code}`);
    expect(upstream.calls).toEqual([]);
  });
});
