import { existsSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { readSettings } from '../../src/config/settings';
import { requestIdOf } from '../../src/http/requests/request-headers';
import { HAPROXY } from '../support/gateway';
import { send } from '../support/http-client';
import { RunningService } from '../support/service';
import { useStarted } from '../support/started';
import { CONFIGURATION, startBalancer } from './support/balancer';

const SOURCE = CONFIGURATION.replace(/^\s*#.*$/gm, '');

/** What stands behind a keyword, wherever it stands. */
function textsOf(keyword: string): string[] {
  return [...SOURCE.matchAll(new RegExp(`^\\s*${keyword} +(.+)$`, 'gm'))].map(([, text]) => String(text));
}

// What it does is tested with a real HAProxy; here is what has to fit the code.
describe('the configuration of HAProxy', () => {
  const { external, maxActiveRequests } = readSettings({});

  it('waits for a replica longer than that may wait for the external system', () => {
    expect(textsOf('timeout server')).toEqual(['"${REPLICA_TIMEOUT}"']);
    const [timeout] = textsOf('presetenv REPLICA_TIMEOUT');
    expect(parseInt(String(timeout)) * 1000).toBeGreaterThan(external.timeoutMs + 500);
  });

  it('has room for the longest headers of either direction', () => {
    const room = Number(textsOf('tune.bufsize')[0]) - 1024;
    expect(room).toBeGreaterThan(Math.max(maxHeaderSize, 2048 + 4096));
  });

  it('sends a replica no more requests than it takes, also while two processes do during a reload', () => {
    const [, bound] = /maxconn (\d+)/.exec(textsOf('default-server').join()) ?? [];
    expect(2 * Number(bound)).toBeLessThanOrEqual(maxActiveRequests);
  });

  it('D87 has connections for all that listens, and lets one address have few of them', () => {
    const [all = 0, ofClients = 0, ofMetrics] = textsOf('maxconn').map(Number);
    expect(all).toBe(ofClients + Number(ofMetrics));
    expect(8 * parseInt(String(textsOf('presetenv CONNECTIONS_PER_ADDRESS')))).toBeLessThanOrEqual(ofClients);
  });

  const IDS = ['abc', 'A.b_c-9', 'x'.repeat(64), 'x'.repeat(65), 'a b', 'a"b', '', 'ä'];
  it.each(IDS)('D22 passes a request id where the service takes it: %j', (id) => {
    const [, pattern = ''] = /req\.fhdr\(x-request-id\) -m reg (\S+)/.exec(SOURCE) ?? [];
    expect(new RegExp(pattern).test(id)).toBe(requestIdOf({ headers: { 'x-request-id': id } }) === id);
  });

  it('D21 reads nothing that clients prefer, and takes no 503 for a failure of a replica', () => {
    expect(SOURCE).not.toMatch(/prefer/i);
    expect(textsOf('retry-on')).toEqual(['conn-failure empty-response junk-response response-timeout']);
  });
});

/** The spellings that the service takes for one path (D12). */
const SPELLINGS = ['/metrics', '/METRICS/', '//metrics', '/metrics//', '/%6detrics', '/metrics?x=1'];

// A replica without a management port has metrics beside its operations.
(existsSync(HAPROXY) ? describe : describe.skip)('HAProxy keeps the metrics of a replica inside', () => {
  const service = useStarted(() => RunningService.start({ LOG_LEVEL: 'silent' }));
  const balancer = useStarted(() => startBalancer(service().url));

  it.each(SPELLINGS)('D12 D25 %s', async (path) => {
    const statuses = [service().url, balancer().url].map(
      async (url) => (await send(url, path, { notOurs: true })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 404]);
  });
});
