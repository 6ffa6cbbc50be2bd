import type { Settings } from '../config/settings';

/** `Cache-Control` of all responses but those that clients may store. */
export const NO_STORE = 'no-store';
/** `Cache-Control` of responses that clients may store, and that get an `ETag` where they are a 200. */
export const REVALIDATE = 'private, no-cache';

/** The names are in lower case, as Node lists those of a response. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

export const POLICY = 'content-security-policy';
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Inline styles are allowed because the page of `@nestjs/swagger` has some. There is no `upgrade-insecure-requests`,
 * because the page has to work without HTTPS, too.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The headers that an application may set, also on the response of Node, such as by helmet or `useSecurityHeaders` of
 * Nest, with our values of them.
 */
export const REPLACEABLE: readonly { readonly name: string; readonly ours: readonly string[] }[] = [
  ...Object.entries(SECURITY_HEADERS).map(([name, value]) => ({ name, ours: [value] })),
  { name: POLICY, ours: [API_POLICY, PAGE_POLICY] },
];

type Headers = Readonly<Record<string, string>>;

/** The headers of the responses of operations, and those of pages. */
export function ownHeaders({ external, access }: Settings): [ofApi: Headers, ofPages: Headers] {
  // Shared caches must not store responses to requests with `Authorization` (RFC 9111). `X-API-Key` is unknown to them:
  // without `Vary`, they could use a stored response to one key for requests with another key, or with none.
  const keyHeader = access.apiKeys.length > 0 ? ['X-API-Key'] : [];
  const common = {
    ...SECURITY_HEADERS,
    vary: ['Prefer, accept-encoding', ...external.forwardHeaders, ...keyHeader].join(', '),
    'cache-control': NO_STORE,
  };
  return [
    { ...common, [POLICY]: API_POLICY },
    { ...common, [POLICY]: PAGE_POLICY },
  ];
}
