import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

describe('D16 EXTERNAL_SHIPPING_HEADERS', () => {
  const headersOf = (value: string): unknown => readSettings({ EXTERNAL_SHIPPING_HEADERS: value }).external.headers;
  const faults = (value: string): readonly string[] => errorsOf({ EXTERNAL_SHIPPING_HEADERS: value });

  it.each([
    ['X-Client=name', { 'X-Client': 'name' }],
    [' X-A = 1 ,, X-B=a=b ,', { 'X-A': '1', 'X-B': 'a=b' }],
    ['X-A=a%2C%20b%25', { 'X-A': 'a, b%' }],
    ['X-A=', { 'X-A': '' }],
    ["!#$%&'*+-.^_`|~9=x", { "!#$%&'*+-.^_`|~9": 'x' }],
    ['Cookie=a,X-API-Key=b,TE-A=c', { Cookie: 'a', 'X-API-Key': 'b', 'TE-A': 'c' }],
  ])('reads %j', (value, expected) => {
    expect(headersOf(value)).toEqual(expected);
  });

  it('accepts 20 headers, and refuses 21', () => {
    expect(Object.keys(headersOf(many(20, '=s')) as object)).toHaveLength(20);
    expect(faults(many(21, '=s'))).toEqual([
      expect.stringMatching(/^EXTERNAL_SHIPPING_HEADERS must be up to 20 pairs/),
    ]);
  });

  it.each(['secret', '=secret', 'X A=secret', 'X:A=secret', 'é=secret', 'X-A=secret%', 'X-A=secret%ff'])(
    'refuses %j without its value',
    (value) => {
      expect(faults(value)).toEqual([expect.stringMatching(/^EXTERNAL_SHIPPING_HEADERS must be up to 20 pairs/)]);
      expect(faults(value).join()).not.toContain('secret');
    },
  );

  it.each(['X-A=sécret', 'X-A=secret%0d%0aX-B: 1', 'X-A=secret%09', 'X-A=secret%00', 'X-A=%7f'])(
    'refuses %j, which cannot be sent',
    (value) => {
      expect(faults(value)).toEqual([
        'EXTERNAL_SHIPPING_HEADERS must have values of visible ASCII characters and spaces',
      ]);
    },
  );

  it.each(OWN)('refuses %s', (name) => {
    expect(faults(`${name}=secret`)).toEqual([
      'EXTERNAL_SHIPPING_HEADERS must not name a header that the service sets itself',
    ]);
  });

  it('refuses a name twice, ignoring case', () => {
    expect(faults('X-A=1,x-a=1')).toEqual(['EXTERNAL_SHIPPING_HEADERS must not name a header twice']);
  });

  it('reads a file with one header a line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'headers-'));
    const file = join(folder, 'headers');
    writeFileSync(file, 'X-A=1\r\nX-B=2, X-C=3\n\n');
    const { headers } = readSettings({ EXTERNAL_SHIPPING_HEADERS_FILE: file }).external;
    const both = { EXTERNAL_SHIPPING_HEADERS: 'X-A=1', EXTERNAL_SHIPPING_HEADERS_FILE: file };
    expect(errorsOf(both)).toEqual([
      'EXTERNAL_SHIPPING_HEADERS_FILE must not be set where EXTERNAL_SHIPPING_HEADERS is',
    ]);
    rmSync(folder, { recursive: true });
    expect(headers).toEqual({ 'X-A': '1', 'X-B': '2', 'X-C': '3' });
  });
});

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
    expect(faults('X-A', { ...apiKey, EXTERNAL_SHIPPING_HEADERS: 'x-KEY=1' })).toEqual([
      `EXTERNAL_SHIPPING_HEADERS ${rule}`,
    ]);
  });

  it('refuses a header that is sent with every request', () => {
    expect(faults('X-A,X-B', { EXTERNAL_SHIPPING_HEADERS: 'x-b=1' })).toEqual([
      'FORWARD_HEADERS must not name a header of EXTERNAL_SHIPPING_HEADERS',
    ]);
  });
});
