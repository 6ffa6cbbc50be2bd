import { isVisibleAscii } from '../../../config/value-formats';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import type { CredentialHeaders } from './upstream-credentials';

/**
 * A failure of the token endpoint counts as one of the external system. Another attempt of the same call would come
 * within the back-off. Messages are logged, and hold no value of the response.
 */
export function tokenFailure(
  reason: UpstreamFailure['reason'],
  message: string,
  retryAfterMs?: number,
): UpstreamFailure {
  return new UpstreamFailure(reason, message, { retryable: false, countsAgainstCircuit: true, retryAfterMs });
}

/** What the token endpoint issued. */
export interface IssuedToken {
  readonly accessToken: string;
  /** In seconds, from the request on; `undefined` where the endpoint does not say. */
  readonly expiresIn: number | undefined;
}

/** Lifetime of a token without `expires_in`. */
const ASSUMED_LIFE_MS = 300_000;
const LONGEST_LIFE_MS = 86_400_000;
/** Share of the lifetime after which a call renews the token that it uses. */
const RENEWED_AT = 0.8;
/** Tokens are not sent shortly before they expire: for this share of the lifetime, and at most this long. */
const MARGIN = 0.1;
const LONGEST_MARGIN_MS = 10_000;

/** An access token and its times, in milliseconds on the clock of its fetch. */
export class AccessToken {
  readonly headers: CredentialHeaders;
  readonly renewAt: number;
  /** It is not sent from here on. */
  readonly endsAt: number;

  /**
   * @param requestedAt when the fetch began: the lifetime counts from there
   * @throws {UpstreamFailure} `bad-reply` where it cannot be sent in a header
   */
  constructor({ accessToken, expiresIn }: IssuedToken, requestedAt: number) {
    if (!isVisibleAscii(accessToken)) throw tokenFailure('bad-reply', 'an access token that no header can carry');
    const lifeMs = expiresIn === undefined ? ASSUMED_LIFE_MS : Math.min(expiresIn * 1000, LONGEST_LIFE_MS);
    this.headers = Object.freeze({ Authorization: `Bearer ${accessToken}` });
    this.renewAt = requestedAt + lifeMs * RENEWED_AT;
    this.endsAt = requestedAt + lifeMs - Math.min(lifeMs * MARGIN, LONGEST_MARGIN_MS);
  }
}
