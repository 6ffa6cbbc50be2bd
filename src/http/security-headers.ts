const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** For responses that browsers must not run or embed. */
export const API_SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/**
 * For the Swagger page: scripts of this server only. The page must work over plain HTTP, so that requests are not upgraded
 * to HTTPS; `Strict-Transport-Security` belongs to the proxy that terminates TLS.
 */
export const PAGE_SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  'Content-Security-Policy': [
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
