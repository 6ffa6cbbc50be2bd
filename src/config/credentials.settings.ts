import type { EnvironmentReader } from './environment-reader';
import type { Secret } from './secret-file';
import { isHeaderName, isLoopback, isServiceHeader } from './value-formats';

/** OAuth 2.0 client credentials (RFC 6749, section 4.4). */
export type OAuthSettings = NonNullable<ReturnType<typeof readOAuth>>;

/** How requests to the external system are authenticated: one kind, or none. */
export type CredentialSettings =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly secret: Secret }
  | { readonly kind: 'api-key'; readonly header: string; readonly secret: Secret }
  | OAuthSettings;

const TOKEN = 'EXTERNAL_SHIPPING_TOKEN';
const API_KEY = 'EXTERNAL_SHIPPING_API_KEY';
const API_KEY_HEADER = 'EXTERNAL_SHIPPING_API_KEY_HEADER';
const TOKEN_URL = 'EXTERNAL_SHIPPING_OAUTH_TOKEN_URL';
const CLIENT_ID = 'EXTERNAL_SHIPPING_OAUTH_CLIENT_ID';
const CLIENT_SECRET = 'EXTERNAL_SHIPPING_OAUTH_CLIENT_SECRET';
const CLIENT_AUTH = 'EXTERNAL_SHIPPING_OAUTH_CLIENT_AUTH';
const SCOPE = 'EXTERNAL_SHIPPING_OAUTH_SCOPE';
const AUDIENCE = 'EXTERNAL_SHIPPING_OAUTH_AUDIENCE';

/** The variables of each kind: those that it requires, then the others. */
const KINDS = [
  { required: [TOKEN], optional: [] },
  { required: [API_KEY], optional: [API_KEY_HEADER] },
  { required: [TOKEN_URL, CLIENT_ID, CLIENT_SECRET], optional: [CLIENT_AUTH, SCOPE, AUDIENCE] },
] as const;

/** These may be in files. */
const SECRETS: ReadonlySet<string> = new Set([TOKEN, API_KEY, CLIENT_SECRET]);

export function readCredentials(reader: EnvironmentReader): CredentialSettings {
  reader.section('Credentials for the external system');
  const token = reader.secret(TOKEN, { help: 'Bearer token that is sent to the external system.' });
  const apiKey = reader.secret(API_KEY, { help: 'API key that is sent to the external system.' });
  const header = readHeaderName(reader);
  const oauth = readOAuth(reader);
  refuseMixtures(reader);
  if (token !== undefined) return Object.freeze({ kind: 'bearer', secret: token });
  if (apiKey !== undefined) return Object.freeze({ kind: 'api-key', header, secret: apiKey });
  return oauth ?? Object.freeze({ kind: 'none' });
}

function readHeaderName(reader: EnvironmentReader): string {
  const allowed = 'a header name that the service does not set itself';
  const name = reader.text(API_KEY_HEADER, {
    default: 'X-API-Key',
    allowed,
    help: 'Header that carries the API key.',
  });
  if (!isHeaderName(name) || isServiceHeader(name)) reader.addError(API_KEY_HEADER, `must be ${allowed}`);
  return name;
}

function readOAuth(reader: EnvironmentReader) {
  const tokenUrl = reader.url(TOKEN_URL, {
    help: 'Token endpoint that issues access tokens for client credentials (OAuth 2.0); `http` on loopback only.',
  });
  if (tokenUrl?.protocol === 'http:' && !isLoopback(tokenUrl.hostname)) {
    reader.addError(TOKEN_URL, 'must be an https URL, unless it is on loopback');
  }
  const clientId = reader.text(CLIENT_ID, { help: 'Client id at the token endpoint.' });
  const clientSecret = reader.secret(CLIENT_SECRET, { help: 'Client secret at the token endpoint.' });
  const clientAuth = reader.choice(CLIENT_AUTH, ['basic', 'post'], {
    default: 'basic',
    help: 'How they are sent to the token endpoint: by HTTP Basic, or in the body.',
  });
  const scope = reader.scopes(SCOPE, { help: 'Scopes that are requested; unset: those of the token endpoint.' });
  const audience = reader.text(AUDIENCE, { help: '`audience` that is requested, where the token endpoint needs one.' });
  if (tokenUrl === undefined || clientSecret === undefined) return undefined;
  return Object.freeze({
    kind: 'oauth' as const,
    tokenUrl,
    clientId,
    clientSecret,
    clientAuth,
    /** Separated by spaces; empty, like `audience`: the parameter is not sent. */
    scope: scope.join(' '),
    audience,
  });
}

/** Adds an error for each variable of a second kind, and for each missing one of a kind that is begun. */
function refuseMixtures(reader: EnvironmentReader): void {
  const isNamed = (name: string): boolean => reader.isSet(name) || (SECRETS.has(name) && reader.isSet(`${name}_FILE`));
  let first: string | undefined;
  for (const { required, optional } of KINDS) {
    const named = [...required, ...optional].filter(isNamed);
    const [one] = named;
    if (one === undefined) continue;
    if (first === undefined) {
      required
        .filter((name) => !isNamed(name))
        .forEach((name) => {
          reader.addError(name, `must be set where ${named.join(', ')} is`);
        });
      first = one;
    } else {
      for (const name of named) reader.addError(name, `must not be set where ${first} is: one credential only`);
    }
  }
}

/** Identifies a credential by what stays when its value is rotated. A value without a file identifies itself. */
export function identityOf(credentials: CredentialSettings): readonly string[] {
  const { kind } = credentials;
  switch (kind) {
    case 'none':
      return [kind];
    case 'bearer':
      return [kind, ...identityOfSecret(credentials.secret)];
    case 'api-key':
      return [kind, credentials.header, ...identityOfSecret(credentials.secret)];
    case 'oauth':
      return [kind, credentials.tokenUrl.href, credentials.clientId, credentials.scope, credentials.audience];
  }
}

function identityOfSecret({ value, file }: Secret): readonly string[] {
  return file === undefined ? ['value', value] : ['file', file];
}
