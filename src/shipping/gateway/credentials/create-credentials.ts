import { rootCertificates } from 'node:tls';
import type { Settings } from '../../../config/settings';
import { ReloadedSecret } from '../../../config/secret-file';
import { FixedCredentials } from './fixed-credentials';
import { OAuthCredentials } from './oauth-credentials';
import type { CredentialHeaders, UpstreamCredentials } from './upstream-credentials';

/** Creates the configured kind of credential. The token endpoint is trusted by the roots of Node too. */
export function createCredentials({ credentials, attemptTimeoutMs, tls }: Settings['external']): UpstreamCredentials {
  const ca = tls.ca === undefined ? undefined : [...rootCertificates, tls.ca];
  if (credentials.kind === 'oauth') return new OAuthCredentials(credentials, attemptTimeoutMs, ca);
  if (credentials.kind === 'none') return new FixedCredentials({ current: '' }, () => ({}));
  const secret = new ReloadedSecret(credentials.secret, 'the credential for the external system');
  return new FixedCredentials(secret, (value): CredentialHeaders =>
    credentials.kind === 'bearer' ? { Authorization: `Bearer ${value}` } : { [credentials.header]: value },
  );
}
