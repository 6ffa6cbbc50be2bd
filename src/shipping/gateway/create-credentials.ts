import { Logger } from '@nestjs/common';
import type { CredentialSettings, OAuthSettings } from '../../config/credentials.settings';
import type { ExternalSystemSettings } from '../../config/external-system.settings';
import { ReloadedFiles } from '../../config/reloaded-files';
import { readSecretFile, type Secret } from '../../config/secret-file';
import { isVisibleAscii } from '../../config/value-formats';
import { OAuthCredentials } from './credentials/oauth-credentials';
import {
  FileCredentials,
  StaticCredentials,
  type CredentialHeaders,
  type UpstreamCredentials,
} from './credentials/upstream-credentials';
import { tokenEndpointAuthorities } from './transport/tls';
import { TokenEndpoint } from './transport/token-endpoint';

const LOGGER = new Logger('UpstreamCredentials');

/** Creates the configured kind of credential. The OAuth client is loaded only where it is used. */
export async function createCredentials({
  credentials,
  attemptTimeoutMs,
  tls,
}: ExternalSystemSettings): Promise<UpstreamCredentials> {
  switch (credentials.kind) {
    case 'none':
      return new StaticCredentials(Object.freeze({}));
    case 'bearer':
    case 'api-key':
      return createFixed(credentials);
    case 'oauth':
      return createOAuth(credentials, attemptTimeoutMs, tls);
  }
}

function createFixed(credentials: Extract<CredentialSettings, { kind: 'bearer' | 'api-key' }>): UpstreamCredentials {
  const headersOf = (value: string): CredentialHeaders =>
    Object.freeze(
      credentials.kind === 'bearer' ? { Authorization: `Bearer ${value}` } : { [credentials.header]: value },
    );
  const { secret } = credentials;
  const file = watchSecret(secret, 'The file of the credential for the external system');
  return file === undefined ? new StaticCredentials(headersOf(secret.value)) : new FileCredentials(file, headersOf);
}

async function createOAuth(
  settings: OAuthSettings,
  timeoutMs: number,
  tls: ExternalSystemSettings['tls'],
): Promise<OAuthCredentials> {
  const file = watchSecret(settings.clientSecret, 'The file of the OAuth client secret');
  const endpoint = new TokenEndpoint({
    oauth: await import('oauth4webapi'),
    settings,
    clientSecret: () => file?.reload() ?? settings.clientSecret.value,
    timeoutMs,
    authorities: tokenEndpointAuthorities(tls),
  });
  return new OAuthCredentials(() => endpoint.fetchToken(), LOGGER);
}

function watchSecret({ value, file }: Secret, label: string): ReloadedFiles<string> | undefined {
  if (file === undefined) return undefined;
  const load = (): string | undefined => {
    const { content } = readSecretFile(file);
    return content !== undefined && isVisibleAscii(content) ? content : undefined;
  };
  return new ReloadedFiles({ paths: [file], load, initial: value, label, logger: LOGGER });
}
