import type { Settings } from '../config/settings';

/** `Cache-Control` of all responses but those that clients may store. */
export const NO_STORE = 'no-store';
/** `Cache-Control` of responses that clients may store, and that get an `ETag` where they are a 200. */
export const REVALIDATE = 'private, no-cache';

const POLICY = 'content-security-policy';
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Inline styles are allowed because the page of `@nestjs/swagger` has some. There is no `upgrade-insecure-requests`,
 * because the page has to work without HTTPS, too.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

const API_HEADERS = Object.entries({ ...SECURITY_HEADERS, [POLICY]: API_POLICY });
const PAGE_HEADERS = Object.entries({ ...SECURITY_HEADERS, [POLICY]: PAGE_POLICY });

/**
 * Names and values of the security headers of a response to a route of this purpose. What the application sets stays
 * (D83).
 */
export function securityHeadersOf({ purpose }: { readonly purpose?: string }): readonly (readonly [string, string])[] {
  return purpose === 'docs' ? PAGE_HEADERS : API_HEADERS;
}

/** The value of `Vary` of all responses. */
export function variedBy({ external, access }: Settings): string {
  // Shared caches must not store responses to requests with `Authorization` (RFC 9111). `X-API-Key` is unknown to them:
  // without `Vary`, they could use a stored response to one key for requests with another key, or with none.
  const keyHeader = access.apiKeys.length > 0 ? ['X-API-Key'] : [];
  return ['Prefer, accept-encoding', ...external.forwardHeaders, ...keyHeader].join(', ');
}
