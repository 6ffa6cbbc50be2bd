import { html } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { showResponse } from '../../tools/check-external/show';
import { useFolder } from '../support/folder';
import { refusedUrl } from '../support/free-port';
import { PATIENT } from '../support/service';
import { useStarted, useUpstream } from '../support/started';
import { TokenServer } from '../support/token-server';
import { authorityFile, validCertificate } from '../support/upstream/certificates';

/** D87: the command of the runbook that shows one response has the credential, path and TLS of the service. */
describe('shipping-query-service show', () => {
  const upstream = useUpstream();
  const tokens = useStarted(() => TokenServer.start());
  const { file } = useFolder();
  const show = (env: NodeJS.ProcessEnv = {}): Promise<string> =>
    showResponse({ env: { ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: `${upstream().url}/v1`, ...env } });

  it.each([
    [
      'a token in a file',
      () => ({ EXTERNAL_SHIPPING_TOKEN_FILE: file('token', 'hidden') }),
      { authorization: 'Bearer hidden' },
    ],
    ['an access token', () => tokens().env, { authorization: 'Bearer hidden-credential-1' }],
  ])('D35 sends the credential of the service: %s', async (_, env, headers) => {
    const shown = await show({ ...env(), EXTERNAL_SHIPPING_DETAILS_PATH: '/parcels' });
    expect(upstream().calls).toMatchObject([{ target: '/v1/parcels?Limit=1', headers }]);
    expect(shown).toContain(`GET ${upstream().url}/v1/parcels?Limit=1\nstatus 200, content type application/json`);
    expect(shown).toMatch(/"ShippingDetails":.*\n\ncomplete\n$/);
    expect(shown).not.toContain('hidden');
  });

  it.each([
    [403, /status 403, content type text\/html[^]*<html>[^]*\n\nfailed: status 403, content type/],
    [200, /status 200, content type text\/html[^]*<html>[^]*\n\nfailed: no JSON: HTML/],
  ])('D81 shows the page of a proxy with status %i, and what the service makes of it', async (status, shown) => {
    upstream().respondWith(html(status));
    expect(await show()).toMatch(shown);
  });

  it('D81 names why there is no response', async () => {
    expect(await show({ EXTERNAL_SHIPPING_BASE_URL: await refusedUrl() })).toBe(
      'failed: no connection: ECONNREFUSED\n',
    );
  });

  it('D35 trusts the authorities of the service', async () => {
    const other = await ScriptedUpstream.start({ tls: validCertificate });
    const env = { EXTERNAL_SHIPPING_BASE_URL: other.url, EXTERNAL_SHIPPING_CA_FILE: authorityFile };
    expect(await show(env)).toContain('failed: status 501');
    await other.close();
  });
});
