import { Logger } from '@nestjs/common';
import { rootCertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { ReloadedFiles } from '../../../config/reloaded-files';
import { SettingsError } from '../../../config/setting-definition';
import { loadTls, type TlsMaterial, type TlsSettings } from '../../../config/tls.settings';

/** The files of TLS, read again when they change; files that do not fit together keep the last set. */
export type TlsFiles = ReloadedFiles<TlsMaterial>;

/** Injection token of the {@link TlsFiles}; `undefined` where none are configured. */
export const TLS_FILES = Symbol('TlsFiles');

/** @throws {SettingsError} where the files have become unusable since the settings were read */
export function watchTlsFiles(settings: TlsSettings): TlsFiles {
  const initial = loadTls(settings);
  if ('faults' in initial) throw new SettingsError(initial.faults.map((fault) => fault.join(' ')));
  return new ReloadedFiles<TlsMaterial>({
    paths: Object.values(settings as object).filter((path): path is string => typeof path === 'string'),
    load: () => {
      const loaded = loadTls(settings);
      return 'faults' in loaded ? undefined : loaded;
    },
    initial,
    label: 'A TLS file of the external system',
    logger: new Logger('TlsFiles'),
  });
}

/** Opens connections with the current files. */
export function connectorWith(tls: TlsFiles | undefined, timeout: number): buildConnector.connector {
  if (tls === undefined) return buildConnector({ timeout });
  let used: TlsMaterial | undefined;
  let connect: buildConnector.connector;
  return (options, callback) => {
    const { current } = tls;
    if (current !== used) {
      // A new connector, because sessions of the earlier certificate must not be resumed.
      connect = buildConnector({ timeout, secureContext: current.context });
      used = current;
    }
    connect(options, callback);
  };
}

/** The authorities of the token endpoint: the roots of Node and those of the external system; `undefined`: the default. */
export function tokenEndpointAuthorities(tls: TlsFiles | undefined): string[] | undefined {
  const ca = tls?.current.ca;
  return ca === undefined ? undefined : [...rootCertificates, ca];
}
