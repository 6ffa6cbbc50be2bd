import { Injectable, Logger } from '@nestjs/common';

const UNKNOWN_ISSUER = 'the issuer of the certificate is not trusted: see EXTERNAL_SHIPPING_CA_FILE';
const SELF_SIGNED = 'the certificate is self-signed: see EXTERNAL_SHIPPING_CA_FILE';
const CLIENT_CERTIFICATE = 'the client certificate is missing or refused: see EXTERNAL_SHIPPING_CLIENT_CERT_FILE';

const HINTS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', SELF_SIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_ISSUER],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_ISSUER],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the port does not use TLS'],
]);

/** What the external system reports during the handshake; releases of OpenSSL put different prefixes before these names. */
const ALERTS: ReadonlyMap<string, string> = new Map([
  ['CERTIFICATE_REQUIRED', CLIENT_CERTIFICATE],
  ['UNKNOWN_CA', CLIENT_CERTIFICATE],
  ['BAD_CERTIFICATE', CLIENT_CERTIFICATE],
  ['CERTIFICATE_EXPIRED', CLIENT_CERTIFICATE],
  ['HANDSHAKE_FAILURE', 'no common TLS version or cipher, or the client certificate is missing'],
]);

/** The code of a connection error with what it means, where it is a common one of TLS. */
export function explain(code: string): string {
  const alert = /^ERR_SSL_.*_ALERT_(\w+)$/.exec(code)?.[1] ?? '';
  const hint = HINTS.get(code) ?? ALERTS.get(alert);
  return hint === undefined ? code : `${code} (${hint})`;
}

/** Keeps why the last connection to the external system failed, and logs each change. The codes hold no value of a client. */
@Injectable()
export class ConnectionState {
  private readonly logger = new Logger(ConnectionState.name);
  private code: string | undefined;

  /** The code of the last failure, such as `ECONNREFUSED`; `undefined` while connections succeed. */
  get error(): string | undefined {
    return this.code;
  }

  failed(error: Error & { code?: string }): void {
    const code = error.code ?? error.name;
    if (code === this.code) return;
    this.code = code;
    this.logger.warn(`The external system is unreachable: ${explain(code)}`);
  }

  succeeded(): void {
    if (this.code === undefined) return;
    this.code = undefined;
    this.logger.log('The external system is reachable');
  }
}
