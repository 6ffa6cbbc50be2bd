import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrownBy } from '../../test/support/units';
import { identityOf, type CredentialSettings } from './credentials.settings';
import { readSettings } from './settings';
import { SettingsError } from './setting-definition';

const PREFIX = 'EXTERNAL_SHIPPING_';
const OAUTH = {
  OAUTH_TOKEN_URL: 'https://issuer.example/token',
  OAUTH_CLIENT_ID: 'client',
  OAUTH_CLIENT_SECRET: 'secret-value',
};

const prefixed = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [PREFIX + name, value]));

function read(env: Readonly<Record<string, string>>): CredentialSettings {
  return readSettings(prefixed(env)).external.credentials;
}

/** The names of the variables with errors, without the prefix. */
function faults(env: Readonly<Record<string, string>>): string[] {
  const error = thrownBy(() => read(env)) as SettingsError;
  expect(error).toBeInstanceOf(SettingsError);
  for (const value of Object.values(env)) if (value.trim() !== '') expect(error.message).not.toContain(value);
  return [...new Set(error.errors.map((text) => text.slice(PREFIX.length, text.indexOf(' '))))].sort();
}

describe('D35 credentials', () => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'credentials-'));
    file = join(folder, 'secret');
  });
  beforeEach(() => {
    writeFileSync(file, 'filed\n');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('D35 none by default', () => {
    expect(read({})).toEqual({ kind: 'none' });
  });

  it('D35 a bearer token or an API key, from a variable or a file', () => {
    expect(read({ TOKEN: 't' })).toEqual({ kind: 'bearer', secret: { value: 't', file: undefined } });
    expect(read({ TOKEN_FILE: file })).toEqual({ kind: 'bearer', secret: { value: 'filed', file } });
    const key = { kind: 'api-key', header: 'X-API-Key' };
    expect(read({ API_KEY: 'k' })).toEqual({ ...key, secret: { value: 'k', file: undefined } });
    expect(read({ API_KEY_FILE: file })).toEqual({ ...key, secret: { value: 'filed', file } });
    expect(read({ API_KEY: 'k', API_KEY_HEADER: 'Ocp-Key' })).toMatchObject({ header: 'Ocp-Key' });
  });

  it('D35 client credentials with everything and with the least', () => {
    expect(read(OAUTH)).toEqual({
      kind: 'oauth',
      tokenUrl: new URL('https://issuer.example/token'),
      clientId: 'client',
      clientSecret: { value: 'secret-value', file: undefined },
      clientAuth: 'basic',
      scope: '',
      audience: '',
    });
    const { OAUTH_TOKEN_URL, OAUTH_CLIENT_ID } = OAUTH;
    const more = {
      OAUTH_CLIENT_SECRET_FILE: file,
      OAUTH_SCOPE: ' a  b ',
      OAUTH_AUDIENCE: 'shipping api',
      OAUTH_CLIENT_AUTH: 'post',
    };
    expect(read({ OAUTH_TOKEN_URL, OAUTH_CLIENT_ID, ...more })).toMatchObject({
      clientSecret: { value: 'filed', file },
      clientAuth: 'post',
      scope: 'a b',
      audience: 'shipping api',
    });
  });

  it.each<[Record<string, string>, string[]]>([
    [{ TOKEN: 'tvalue', API_KEY: 'kvalue' }, ['API_KEY']],
    [{ TOKEN: 'tvalue', API_KEY_FILE: '/nowhere' }, ['API_KEY', 'API_KEY_FILE']],
    [{ TOKEN: 'tvalue', API_KEY_HEADER: 'X-Other-Key' }, ['API_KEY_HEADER']],
    [{ TOKEN: 'tvalue', ...OAUTH }, Object.keys(OAUTH).sort()],
    [{ TOKEN: 'tvalue', OAUTH_SCOPE: 'svalue' }, ['OAUTH_SCOPE']],
    [{ API_KEY: 'kvalue', ...OAUTH }, Object.keys(OAUTH).sort()],
    [{ TOKEN: 'tvalue', TOKEN_FILE: '/nowhere' }, ['TOKEN_FILE']],
  ])('D35 two credentials at once stop the start by name: %j', (env, names) => {
    expect(faults(env)).toEqual(names);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ API_KEY_HEADER: 'X-Other-Key' }, ['API_KEY']],
    [{ OAUTH_SCOPE: 'svalue' }, ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET', 'OAUTH_TOKEN_URL']],
    [{ OAUTH_AUDIENCE: 'avalue' }, ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET', 'OAUTH_TOKEN_URL']],
    [{ OAUTH_CLIENT_AUTH: 'basic' }, ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET', 'OAUTH_TOKEN_URL']],
    [{ OAUTH_CLIENT_SECRET: 'svalue' }, ['OAUTH_CLIENT_ID', 'OAUTH_TOKEN_URL']],
    [{ ...OAUTH, OAUTH_CLIENT_ID: ' ', OAUTH_CLIENT_ID_FILE: '/nowhere' }, ['OAUTH_CLIENT_ID']],
    [{ OAUTH_TOKEN_URL: OAUTH.OAUTH_TOKEN_URL }, ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET']],
  ])('D35 missing parts of one credential stop the start by name: %j', (env, names) => {
    expect(faults(env)).toEqual(names);
  });

  it.each([
    ...['Host', 'accept', 'X-Request-ID', 'TraceParent', 'content-length', 'Connection', 'Transfer-Encoding'],
    ...['X Key', 'X-Key:', 'Schlüssel', 'x'.repeat(65), 'Upgrade', 'Trailer'],
  ])('D35 the API key cannot be sent in %j', (header) => {
    expect(faults({ API_KEY: 'kvalue', API_KEY_HEADER: header })).toEqual(['API_KEY_HEADER']);
  });

  it.each(['http://issuer.example/token', 'http://10.0.0.1/token', 'https://user:word@issuer.example/', 'file:///token'])(
    'D35 the token endpoint cannot be %s',
    (url) => {
      expect(faults({ ...OAUTH, OAUTH_TOKEN_URL: url })).toEqual(['OAUTH_TOKEN_URL']);
    },
  ); // prettier-ignore

  it.each(['http://localhost:1/token', 'http://127.0.0.1/token', 'http://[::1]/token', 'https://issuer.example/t?a=1'])(
    'D35 the token endpoint can be %s',
    (url) => {
      expect(read({ ...OAUTH, OAUTH_TOKEN_URL: url })).toMatchObject({ tokenUrl: new URL(url) });
    },
  ); // prettier-ignore

  it('D35 what is rotated keeps the identity of the credential, everything else changes it', () => {
    const identity = (env: Readonly<Record<string, string>>): string => JSON.stringify(identityOf(read(env)));
    const environments: Record<string, string>[] = [
      {},
      ...[{ TOKEN: 'a' }, { TOKEN: 'b' }, { TOKEN_FILE: file }],
      ...[{ API_KEY: 'a' }, { API_KEY_FILE: file }, { API_KEY: 'a', API_KEY_HEADER: 'X-Other' }],
      ...[OAUTH, { ...OAUTH, OAUTH_CLIENT_ID: 'b' }, { ...OAUTH, OAUTH_SCOPE: 'b' }, { ...OAUTH, OAUTH_AUDIENCE: 'b' }],
      { ...OAUTH, OAUTH_TOKEN_URL: 'https://issuer.example/other' },
    ];
    const different = environments.map(identity);
    expect(new Set(different).size).toBe(different.length);
    expect(identity({ ...OAUTH, OAUTH_CLIENT_SECRET: 'rotated' })).toBe(identity(OAUTH));
    const before = identity({ TOKEN_FILE: file });
    writeFileSync(file, 'rotated');
    expect(identity({ TOKEN_FILE: file })).toBe(before);
    expect(different.join()).not.toContain('secret-value');
  });
});
