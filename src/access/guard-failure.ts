/** What kept the guard from deciding: Redis, so that a request was not limited, or the keys of the token issuer. */
export const GUARD_FAILURES = ['limit', 'keys'] as const;
export type GuardFailure = (typeof GUARD_FAILURES)[number];
