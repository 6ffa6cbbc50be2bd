import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { EnvironmentReader } from './environment-reader';
import { readSecretFile } from './secret-file';

const CA_FILE = 'EXTERNAL_SHIPPING_CA_FILE';
const CERT_FILE = 'EXTERNAL_SHIPPING_CLIENT_CERT_FILE';
const KEY_FILE = 'EXTERNAL_SHIPPING_CLIENT_KEY_FILE';
const MAX_PEM_BYTES = 1_048_576;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Paths of PEM files; certificate and key come together. */
export type TlsSettings = NonNullable<ReturnType<typeof readTls>>;

/** What the files contain. */
export interface TlsMaterial {
  /** Authorities that are trusted; `undefined`: the system roots. */
  readonly ca: string | undefined;
  readonly context: SecureContext;
}

/** @returns `undefined`: the system roots are trusted, and no certificate is presented */
export function readTls(reader: EnvironmentReader) {
  reader.section('TLS to the external system');
  const path = (name: string, help: string): string | undefined =>
    reader.text(name, { help, allowed: 'a path' }) || undefined;
  const settings = Object.freeze({
    caFile: path(CA_FILE, 'PEM file of the authorities that are trusted instead of the system roots.'),
    certFile: path(CERT_FILE, 'PEM file of the client certificate, with its intermediate certificates.'),
    keyFile: path(KEY_FILE, 'PEM file of the key of the client certificate, without a passphrase.'),
  });
  if (settings.certFile !== undefined) reader.require(KEY_FILE, `must be set where ${CERT_FILE} is`);
  if (settings.keyFile !== undefined) reader.require(CERT_FILE, `must be set where ${KEY_FILE} is`);
  const loaded = loadTls(settings);
  if ('faults' in loaded) for (const [name, rule] of loaded.faults) reader.addError(name, rule);
  return Object.values(settings).some((file) => file !== undefined) ? settings : undefined;
}

/** What is wrong with the files, by variable, without path and content. */
export interface TlsFaults {
  readonly faults: readonly (readonly [name: string, rule: string])[];
}

/** Reads the files. A missing half of certificate and key is ignored. */
export function loadTls({ caFile, certFile, keyFile }: TlsSettings): TlsMaterial | TlsFaults {
  const faults: [string, string][] = [];
  const read = (name: string, file: string | undefined, rule: string, isValid: (pem: string) => boolean) => {
    if (file === undefined) return undefined;
    const { content, fault = rule } = readSecretFile(file, MAX_PEM_BYTES);
    if (content !== undefined && isValid(content)) return content;
    faults.push([name, content === undefined ? fault : rule]);
    return undefined;
  };
  const ca = read(CA_FILE, caFile, 'must name a file of PEM certificates', holdsCertificates);
  const cert = read(CERT_FILE, certFile, 'must name a file of PEM certificates', holdsCertificates);
  const key = read(KEY_FILE, keyFile, 'must name a file with one PEM key without a passphrase', holdsKey);
  if (faults.length > 0) return { faults };
  if (cert !== undefined && key !== undefined && !isKeyOf(key, cert)) {
    return { faults: [[KEY_FILE, `must name the key of ${CERT_FILE}`]] };
  }
  try {
    return { ca, context: createSecureContext({ ca, cert, key }) };
  } catch {
    return { faults: [[certFile === undefined ? CA_FILE : CERT_FILE, 'must name a file that TLS accepts']] };
  }
}

function holdsCertificates(pem: string): boolean {
  const certificates = pem.match(CERTIFICATE) ?? [];
  return certificates.length > 0 && certificates.every((text) => succeeds(() => new X509Certificate(text)));
}

function holdsKey(pem: string): boolean {
  return succeeds(() => createPrivateKey(pem));
}

function isKeyOf(key: string, cert: string): boolean {
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
