/** The authenticated client of a request. */
export interface Principal {
  /** Identifies the client: the digest of its API key, or issuer and subject; `undefined` for a token without subject. */
  readonly id: string | undefined;
  /** `sub` of the token, or the id of a client that acts for itself; `undefined` for API keys. */
  readonly subject: string | undefined;
  /** Scopes of the token; none for API keys. */
  readonly scopes: readonly string[];
  /** Verified claims of the token; none for API keys. */
  readonly claims: Readonly<Record<string, unknown>>;
}
