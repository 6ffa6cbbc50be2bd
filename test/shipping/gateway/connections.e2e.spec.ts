import dns from 'node:dns/promises';
import net from 'node:net';
import { eventually } from '../../../testing/upstream/eventually';
import { held, validResponse } from '../../../testing/upstream/responses';
import { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { completenessOf } from '../../support/expected';
import { useFolder } from '../../support/folder';
import { useMonotonicClock } from '../../support/monotonic-clock';
import { PAGED } from '../../support/operations';
import { ONCE, RunningService, useClosing } from '../../support/service';
import { authority, validCertificate } from '../../support/upstream/certificates';

const closedLater = useClosing();

async function listen(options?: Parameters<typeof ScriptedUpstream.start>[0]): Promise<ScriptedUpstream> {
  const upstream = closedLater(await ScriptedUpstream.start(options));
  upstream.respondWith(validResponse);
  return upstream;
}

async function start(url: string, env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const settings = { ...ONCE, EXTERNAL_SHIPPING_BASE_URL: url };
  return closedLater(await RunningService.start({ ...settings, ...env }));
}

/** What the name of the test resolves to. */
function useName(): { addresses: string[] } {
  const name = { addresses: ['127.0.0.1'] };
  const lookup = dns.lookup as (...args: unknown[]) => Promise<unknown>;
  const found = async (host: string, options: unknown): Promise<unknown> =>
    host === 'moving.example'
      ? name.addresses.map((address) => ({ address, family: net.isIP(address) }))
      : lookup(host, options);
  jest.spyOn(dns, 'lookup').mockImplementation(found as never);
  return name;
}

it('D82 an idle connection is closed after four seconds', async () => {
  const upstream = await listen();
  const service = await start(upstream.url);
  expect(completenessOf(await service.request(PAGED.request))).toBe('complete');
  expect(upstream.openSockets()).toBe(1);
  await eventually('open connections', () => upstream.openSockets(), 0, 30_000);
});

describe('D82 a host name that moves', () => {
  const clock = useMonotonicClock();

  it('D82 is followed within a minute under traffic', async () => {
    const name = useName();
    const old = await listen();
    const { port } = new URL(old.url);
    const next = await listen({ host: '127.0.0.2', port: Number(port) });
    const service = await start(`http://moving.example:${port}`, { EXTERNAL_SHIPPING_MAX_CONCURRENT: '10' });
    const send = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 3 }, async () => completenessOf(await service.request(PAGED.request))));
    const complete = ['complete', 'complete', 'complete'];
    // Six connections are open, of which three are idle while the others have a request in flight.
    const opening = held();
    old.respondWith(opening.behaviour);
    const opened = Promise.all([send(), send()]);
    await old.waitForCalls(6);
    opening.release();
    expect(await opened).toEqual([complete, complete]);

    name.addresses = ['127.0.0.2'];
    clock.advance(59_000);
    const { behaviour, release } = held();
    old.respondWith(behaviour);
    const inFlight = send();
    await old.waitForCalls(9);
    clock.advance(1000);
    expect(await send()).toEqual(complete);
    expect([old.calls.length, next.calls.length]).toEqual([9, 3]);
    release();
    expect(await inFlight).toEqual(complete);
  });

  it('D82 an address is given up after half the attempt', async () => {
    const name = useName();
    const connect = jest.spyOn(net, 'connect');
    const { port } = new URL((await listen()).url);
    name.addresses = ['::ffff:127.0.0.9', '127.0.0.1'];
    const service = await start(`http://moving.example:${port}`, { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '3000' });
    expect(completenessOf(await service.request(PAGED.request))).toBe('complete');
    const half = { host: 'moving.example', autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1500 };
    expect(connect.mock.calls.map(([options]) => options as unknown)).toContainEqual(expect.objectContaining(half));
  });
});

describe('D35 D81 TLS', () => {
  const { file } = useFolder();
  const CA = { EXTERNAL_SHIPPING_CA_FILE: file('ca.pem', authority) };
  const lastCause = (service: RunningService): unknown => service.requestLog.at(-1)?.cause;

  it.each([
    ['TLSv1.3', 'no connection: ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    ['TLSv1.2', expect.stringMatching(/^no connection: ERR_SSL_SSL.*_ALERT_HANDSHAKE_FAILURE$/)],
  ] as const)('D81 no client certificate, %s: its alert is named', async (maxVersion, cause) => {
    const { url } = await listen({ tls: { ...validCertificate, requestCert: true, ca: authority, maxVersion } });
    const service = await start(url, CA);
    for (let call = 0; call < 3; call += 1) {
      expect(completenessOf(await service.request(PAGED.request))).toBe('unavailable;reason=upstream-unreachable');
      expect(lastCause(service)).toEqual(cause);
    }
  });
});
