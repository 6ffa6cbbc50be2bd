import type { ExternalSystemSettings } from '../../../config/external-system.settings';
import { ReloadedSecret } from '../../../config/reloaded-secret';
import { FixedCredentials } from './fixed-credentials';
import { OAuthCredentials } from './oauth-credentials';
import type { UpstreamCredentials } from './upstream-credentials';

/**
 * Creates the configured kind of credential.
 *
 * @param ca authorities that the token endpoint is trusted by; `undefined`: those of Node
 */
export function createCredentials(settings: ExternalSystemSettings, ca?: string[]): UpstreamCredentials {
  const { credentials, attemptTimeoutMs } = settings;
  if (credentials.kind === 'oauth') return new OAuthCredentials(credentials, attemptTimeoutMs, ca);
  if (credentials.kind === 'none') return new FixedCredentials({ current: '' }, () => ({}));
  const secret = new ReloadedSecret(credentials.secret, 'the credential for the external system');
  return new FixedCredentials(secret, (value) =>
    credentials.kind === 'bearer' ? { Authorization: `Bearer ${value}` } : { [credentials.header]: value },
  );
}
