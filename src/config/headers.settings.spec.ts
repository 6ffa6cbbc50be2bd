import { thrownBy } from '../../test/support/units';
import { SettingsError } from './setting-definition';
import { readSettings } from './settings';

const OWN = ['Host', 'connection', 'Content-Length', 'Transfer-Encoding', 'Upgrade', 'TE', 'Trailer', 'Keep-Alive', 'Expect', 'Proxy-Authorization', 'Proxy-', 'Accept', 'Accept-Encoding', 'AUTHORIZATION', 'X-Request-Id', 'traceparent']; // prettier-ignore
const OF_CLIENTS = ['Cookie', 'x-api-key', 'Prefer', 'Cache-Control', 'If-None-Match', 'If-Range', 'Range', 'Forwarded', 'X-Forwarded-For', 'Origin', 'Referer', '__proto__']; // prettier-ignore

const errorsOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  const error = thrownBy(() => readSettings(env));
  expect(error).toBeInstanceOf(SettingsError);
  return (error as SettingsError).errors;
};
const many = (count: number, suffix: string): string =>
  Array.from({ length: count }, (_, index) => `X-${index}${suffix}`).join(',');

describe('D22 FORWARD_HEADERS', () => {
  const namesOf = (value: string): unknown => readSettings({ FORWARD_HEADERS: value }).external.forwardHeaders;
  const faults = (value: string, more = {}): readonly string[] => errorsOf({ FORWARD_HEADERS: value, ...more });

  it('accepts ten names, and refuses eleven and what is no name', () => {
    expect(namesOf(many(10, ''))).toHaveLength(10);
    for (const value of [many(11, ''), 'X A', 'X:A', 'é']) {
      expect(faults(value)).toEqual(['FORWARD_HEADERS must be up to 10 names of headers, separated by commas']);
    }
  });

  it.each([
    [OWN, 'must not name a header that the service sets itself'],
    [OF_CLIENTS, 'must not name a header that is meant for this service'],
    [['X-A, x-a'], 'must not name a header twice'],
  ])('refuses %j', (values, rule) => {
    for (const value of values) expect(faults(value)).toEqual([`FORWARD_HEADERS ${rule}`]);
  });

  it('D35 refuses the header of the API key, ignoring case', () => {
    const apiKey = { EXTERNAL_SHIPPING_API_KEY: 'key', EXTERNAL_SHIPPING_API_KEY_HEADER: 'X-Key' };
    const rule = 'must not name a header that the service sets itself';
    expect(faults('x-key', apiKey)).toEqual([`FORWARD_HEADERS ${rule}`]);
  });
});
