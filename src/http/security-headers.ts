/** In lower case: Fastify changes the case of any other name for each response. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** For responses that browsers must not run or embed. */
export const API_SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/**
 * For the Swagger page: scripts of this server only. The page must work over plain HTTP, so that requests are not upgraded
 * to HTTPS; `Strict-Transport-Security` belongs to the proxy that terminates TLS.
 */
export const PAGE_SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};
