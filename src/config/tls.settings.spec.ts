import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrownBy } from '../../test/support/units';
import { authority, clientCertificates, nextAuthority } from '../../test/support/upstream/certificates';
import { readSettings } from './settings';
import type { SettingsError } from './setting-definition';

const { client, 'next-client': nextClient } = clientCertificates;

describe('D35 TLS settings', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tls-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Variables that name files with these contents. */
  function files(contents: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const named = Object.entries(contents).map(([name, content]) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      return [`EXTERNAL_SHIPPING_${name}`, path];
    });
    return Object.fromEntries(named) as NodeJS.ProcessEnv;
  }

  function faults(env: NodeJS.ProcessEnv): string[] {
    const { errors, message } = thrownBy(() => readSettings(env)) as SettingsError;
    expect(message).not.toContain(folder);
    expect(message).not.toContain('BEGIN');
    return errors.map((text) => text.slice('EXTERNAL_SHIPPING_'.length, text.indexOf(' '))).sort();
  }

  it('D35 no files by default', () => {
    expect(readSettings({}).external.tls).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['an authority', { CA_FILE: authority }],
    ['two authorities', { CA_FILE: `# comment\n${authority}\n${nextAuthority}` }],
    ['certificate and key', { CLIENT_CERT_FILE: client.cert, CLIENT_KEY_FILE: client.key }],
    ['a chain', { CLIENT_CERT_FILE: client.cert + authority, CLIENT_KEY_FILE: client.key, CA_FILE: authority }],
  ])('D35 accepts %s', (_, contents) => {
    const env = files(contents);
    expect(
      Object.values(readSettings(env).external.tls ?? {})
        .filter(Boolean)
        .sort(),
    ).toEqual(Object.values(env).sort());
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['no PEM', { CA_FILE: 'hidden' }, ['CA_FILE']],
    ['an empty file', { CA_FILE: '' }, ['CA_FILE']],
    ['a key for an authority', { CA_FILE: client.key }, ['CA_FILE']],
    ['one broken of two', { CA_FILE: `${authority}\n${authority.replace(/\n\w{9}/, '\nAAAAAAAAA')}` }, ['CA_FILE']],
    ['a certificate without a key', { CLIENT_CERT_FILE: client.cert }, ['CLIENT_KEY_FILE']],
    ['a key without a certificate', { CLIENT_KEY_FILE: client.key }, ['CLIENT_CERT_FILE']],
    ['another key', { CLIENT_CERT_FILE: client.cert, CLIENT_KEY_FILE: nextClient.key }, ['CLIENT_KEY_FILE']],
    [
      'certificate and key exchanged',
      { CLIENT_CERT_FILE: client.key, CLIENT_KEY_FILE: client.cert },
      ['CLIENT_CERT_FILE', 'CLIENT_KEY_FILE'],
    ],
    ['a broken key', { CLIENT_CERT_FILE: client.cert, CLIENT_KEY_FILE: client.key.slice(0, 60) }, ['CLIENT_KEY_FILE']],
  ])('D35 refuses %s by name', (_, contents, names) => {
    expect(faults(files(contents))).toEqual(names);
  });

  it('D35 refuses files that are missing or folders by name', () => {
    expect(faults({ EXTERNAL_SHIPPING_CA_FILE: join(folder, 'missing') })).toEqual(['CA_FILE']);
    expect(faults({ EXTERNAL_SHIPPING_CA_FILE: folder })).toEqual(['CA_FILE']);
  });
});
