import * as tls from 'node:tls';
import { readSecretFile, reloadedSecret } from '../../../config/secret-file';
import type { Settings } from '../../../config/settings';
import type { StatusAndHeaders } from '../../../resilience/upstream-failure';
import { type Credential, type CredentialHeaders, OAuthCredentials } from './oauth-credentials';

/** Gives the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /** @throws {UpstreamFailure} where the credential cannot be fetched */
  abstract headers(): Credential;

  /**
   * Another credential, with which a request is sent again where the response to it was a 401 or 403; `undefined` where
   * there is no other, or none is needed.
   */
  replace?(used: CredentialHeaders, response: StatusAndHeaders, operation: string): Credential | undefined;
}

/** @returns `undefined` where no credential is configured */
export function createCredentials({ external }: Settings): UpstreamCredentials | undefined {
  const { credentials, attemptTimeoutMs } = external;
  if (credentials.kind === 'none') return undefined;
  if (credentials.kind === 'oauth') {
    const { ca } = external.tls;
    // Beside the configured authority, Node's own are trusted: the token endpoint may have a public certificate.
    const authorities = ca === undefined ? undefined : [...trustedByNode(), ca];
    return new OAuthCredentials(credentials, attemptTimeoutMs, authorities);
  }
  const secret = reloadedSecret(credentials.secret, 'the credential for the external system');
  if (credentials.kind === 'token') {
    return { headers: () => ({ Authorization: `${credentials.scheme} ${secret()}` }) };
  }
  return { headers: () => ({ [credentials.header]: secret() }) };
}

/**
 * The authorities that Node trusts, those of `NODE_EXTRA_CA_CERTS` and `--use-system-ca` included: a connection with a
 * list of authorities trusts these alone. Node has the first function since 22.15; before, it cannot read the system's.
 */
function trustedByNode(): string[] {
  const { getCACertificates, rootCertificates } = tls as typeof tls & { getCACertificates?: () => string[] };
  if (getCACertificates !== undefined) return getCACertificates();
  const { text } = readSecretFile(process.env.NODE_EXTRA_CA_CERTS ?? '');
  return text === undefined ? [...rootCertificates] : [...rootCertificates, text];
}
