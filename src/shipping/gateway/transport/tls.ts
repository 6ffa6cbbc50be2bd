import { rootCertificates, type ConnectionOptions } from 'node:tls';
import { SettingsError } from '../../../config/setting-definition';
import { loadTls, type TlsMaterial, type TlsSettings } from '../../../config/tls.settings';

/** The certificates of connections to the external system. */
export function connectOptions(tls: TlsSettings | undefined): ConnectionOptions {
  return tls === undefined ? {} : { secureContext: read(tls).context };
}

/** The authorities of the token endpoint: the roots of Node and those of the external system; `undefined`: the default. */
export function tokenEndpointAuthorities(tls: TlsSettings | undefined): string[] | undefined {
  const ca = tls && read(tls).ca;
  return ca === undefined ? undefined : [...rootCertificates, ca];
}

function read(tls: TlsSettings): TlsMaterial {
  const loaded = loadTls(tls);
  if ('faults' in loaded) throw new SettingsError(loaded.faults.map((fault) => fault.join(' ')));
  return loaded;
}
