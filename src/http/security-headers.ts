const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;

/** For answers that no browser shall run or embed. */
export const API_SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/**
 * For the Swagger page: scripts of this server only. It neither upgrades requests to HTTPS nor pins it, because the page
 * has to work on plain HTTP as well; pinning belongs to whoever ends TLS.
 */
export const PAGE_SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...EVERYWHERE,
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};
