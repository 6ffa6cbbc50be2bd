import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Pool } from 'undici';
import {
  authority,
  clientCertificates,
  expired,
  nextAuthority,
  nextSound,
  selfSigned,
  sound,
  wrongHost,
} from '../../../../test/support/upstream/certificates';
import { TlsServer } from '../../../../test/support/upstream/tls-server';
import { Cancellation } from '../../../resilience/cancellation';
import type { AttemptFailure } from '../../../resilience/upstream-failure';
import { ConnectionState } from './connection-state';
import { tokenEndpointAuthorities, watchTlsFiles, type TlsFiles } from './tls-files';
import { createPool, UndiciTransport } from './undici-transport';

const LIMITS = { connections: 4, connectTimeoutMs: 20_000, maxResponseBytes: 1024 };
const { client, 'next-client': nextClient } = clientCertificates;
const REQUIRES_CLIENT = { ...sound, ca: authority, requestCert: true, rejectUnauthorized: true };

describe('TlsFiles', () => {
  let folder: string;
  let now: number;
  let logged: string[];
  let server: TlsServer | undefined;
  const pools: Pool[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
    [now, logged] = [0, []];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    for (const level of ['log', 'warn'] as const) {
      jest.spyOn(Logger.prototype, level).mockImplementation((...args: unknown[]) => void logged.push(String(args[0])));
    }
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.destroy()));
    await server?.close();
    server = undefined;
    rmSync(folder, { recursive: true });
  });

  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  function files(ca: string, identity?: { readonly key: string; readonly cert: string }): TlsFiles {
    const settings = {
      caFile: write('ca', ca),
      certFile: identity && write('cert', identity.cert),
      keyFile: identity && write('key', identity.key),
    };
    return watchTlsFiles(settings);
  }

  interface Requests {
    readonly state: ConnectionState;
    send(): Promise<number>;
  }

  function requestsTo(url: string, tls?: TlsFiles): Requests {
    const pool = createPool(url, LIMITS, tls);
    pools.push(pool);
    const state = new ConnectionState();
    const transport = new UndiciTransport(pool, '/', LIMITS, state);
    return { state, send: () => transport.get('/a', {}, new Cancellation()).then(({ status }) => status) };
  }

  it('D35 trusts the authorities of the file, and presents no certificate', async () => {
    server = await TlsServer.start({ ...sound, requestCert: true, rejectUnauthorized: false });
    const { send, state } = requestsTo(server.url, files(authority));
    expect([await send(), state.error, server.subjects]).toEqual([200, undefined, ['']]);
  });

  it('D35 presents the client certificate', async () => {
    server = await TlsServer.start(REQUIRES_CLIENT);
    expect(await requestsTo(server.url, files(authority, client)).send()).toBe(200);
    expect(server.subjects).toEqual(['client']);
  });

  it.each([
    ['an unknown issuer', sound, nextAuthority, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', /issuer/],
    ['a self-signed certificate', selfSigned, authority, 'DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed/],
    ['an expired certificate', expired, authority, 'CERT_HAS_EXPIRED', /expired/],
    ['another host', wrongHost, authority, 'ERR_TLS_CERT_ALTNAME_INVALID', /host name/],
  ])('D35 %s is upstream-unreachable; the code is logged with a hint', async (_, certificate, ca, code, hint) => {
    server = await TlsServer.start(certificate);
    const { send, state } = requestsTo(server.url, files(ca));
    await expect(send()).rejects.toMatchObject({ reason: 'upstream-unreachable', deadConnection: false });
    expect(state.error).toBe(code);
    expect(logged).toEqual([expect.stringContaining(`The external system is unreachable: ${code} (`)]);
    expect(logged[0]).toMatch(hint);
    expect(server.subjects).toEqual([]);
  });

  it('D35 the file replaces the system roots, without a file they are trusted', async () => {
    server = await TlsServer.start(sound);
    const { send, state } = requestsTo(server.url);
    await expect(send()).rejects.toMatchObject({ reason: 'upstream-unreachable' });
    expect(state.error).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it.each([
    ['TLSv1.3', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    ['TLSv1.2', /^ERR_SSL_.*ALERT_HANDSHAKE_FAILURE$/],
  ] as const)(
    'D35 a missing client certificate over %s is upstream-unreachable with its code',
    async (version, code) => {
      server = await TlsServer.start({ ...REQUIRES_CLIENT, minVersion: version, maxVersion: version });
      const { send, state } = requestsTo(server.url, files(authority));
      for (let time = 0; time < 20; time += 1) {
        const failure = await send().catch((error: unknown) => error as AttemptFailure);
        expect(failure).toMatchObject({ reason: 'upstream-unreachable', retryable: true, deadConnection: false });
        expect(state.error).toEqual(typeof code === 'string' ? code : expect.stringMatching(code));
      }
      expect(logged).toEqual([expect.stringContaining('client certificate')]);
      expect(server.subjects).toEqual([]);
    },
  );

  it('D35 rotated files are used by the next connection', async () => {
    server = await TlsServer.start(REQUIRES_CLIENT);
    const { send } = requestsTo(server.url, files(authority, client));
    await send();
    write('cert', nextClient.cert);
    write('key', nextClient.key);
    now += 1000;
    await send();
    server.change({ ...REQUIRES_CLIENT, ...nextSound });
    write('ca', nextAuthority);
    now += 1000;
    await send();
    expect(server.subjects).toEqual(['client', 'next-client', 'next-client']);
    expect(logged).toEqual([]);
  });

  it('D35 files that do not fit together keep the last set, which is logged once', async () => {
    server = await TlsServer.start(REQUIRES_CLIENT);
    const { send } = requestsTo(server.url, files(authority, client));
    write('cert', nextClient.cert);
    for (now = 1000; now <= 3000; now += 1000) await send();
    expect(logged).toEqual(['A TLS file of the external system is unusable; the last value stays in use']);
    write('key', nextClient.key);
    now = 5000;
    await send();
    expect(server.subjects).toEqual(['client', 'client', 'client', 'next-client']);
    expect(logged).toHaveLength(2);
  });

  it('D35 files that became unusable before the start stop it by name', () => {
    const settings = { caFile: join(folder, 'missing'), certFile: undefined, keyFile: undefined };
    expect(() => watchTlsFiles(settings)).toThrow('EXTERNAL_SHIPPING_CA_FILE must name');
  });

  it('D35 the token endpoint trusts the authorities of the file besides the roots', () => {
    expect(tokenEndpointAuthorities(undefined)).toBeUndefined();
    const trusted = tokenEndpointAuthorities(files(authority));
    expect(trusted?.slice(0, -1)).toEqual(rootCertificates);
    expect(trusted?.at(-1)).toBe(authority.trim());
  });
});
