import type { LoggerService, OnApplicationShutdown } from '@nestjs/common';
import { AttemptFailure } from '../../../resilience/attempt-failure';
import type { Cancellation } from '../../../resilience/cancellation';
import { AccessToken, type IssuedToken } from './access-token';
import { GrowingPause } from './growing-pause';
import { stillFailing, tokenUnusable } from './token-failures';
import { type CredentialHeaders, UpstreamCredentials } from './upstream-credentials';

/** Fetches one access token, within a bounded time. Rejects with an AttemptFailure. */
export type FetchToken = () => Promise<IssuedToken>;

/** Options of {@link OAuthCredentials}. */
export interface OAuthCredentialsOptions {
  readonly fetchToken: FetchToken;
  readonly logger: Pick<LoggerService, 'log' | 'warn'>;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
}

/**
 * Access tokens of OAuth 2.0 client credentials. There is one fetch at a time, for all calls. A used token is renewed in
 * the background at 80 % of its lifetime. A failed fetch starts a pause, in which calls without a token fail with the
 * same reason. A token that is rejected is replaced once; the next replacement waits for a pause.
 */
export class OAuthCredentials extends UpstreamCredentials implements OnApplicationShutdown {
  private token: AccessToken | undefined;
  private fetching: Promise<AccessToken> | undefined;
  private failure: AttemptFailure | undefined;
  /** The last token was rejected, and there is no other yet. */
  private isReplacing = false;
  private renewal: NodeJS.Timeout | undefined;
  private readonly failurePause: GrowingPause;
  private readonly replacementPause: GrowingPause;
  private readonly now: () => number;

  constructor(private readonly options: OAuthCredentialsOptions) {
    super();
    const { now = () => performance.now(), random = Math.random } = options;
    this.now = now;
    this.failurePause = new GrowingPause(random);
    this.replacementPause = new GrowingPause(random);
  }

  override headers(cancellation: Cancellation): CredentialHeaders | Promise<CredentialHeaders> {
    const now = this.now();
    const token = this.usable(now);
    if (token === undefined) return this.fetched(now, cancellation);
    token.isUsed = true;
    if (now >= token.renewAt) this.renew();
    return token.headers;
  }

  override replace(
    rejected: CredentialHeaders,
    cancellation: Cancellation,
  ): CredentialHeaders | Promise<CredentialHeaders> | undefined {
    const now = this.now();
    const token = this.usable(now);
    if (token?.headers === rejected) {
      if (this.replacementPause.left(now) > 0) return undefined;
      this.replacementPause.resetWhenQuiet(now);
      this.isReplacing = true;
      this.token = undefined;
    }
    return this.headers(cancellation);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.renewal);
  }

  private usable(now: number): AccessToken | undefined {
    return this.token !== undefined && now < this.token.endsAt ? this.token : undefined;
  }

  /** A new token, or the one that is being fetched. */
  private async fetched(now: number, cancellation: Cancellation): Promise<CredentialHeaders> {
    // Checked before the fetch, because a cancelled call handles no failure of it.
    cancellation.throwIfCancelled();
    const waitMs = this.failurePause.left(now);
    if (this.fetching === undefined && this.failure !== undefined && waitMs > 0) {
      throw stillFailing(this.failure, waitMs);
    }
    const token = await untilCancelled(this.fetch(), cancellation);
    token.isUsed = true;
    return token.headers;
  }

  /** Fetches a token in the background, unless a fetch failed a moment ago. */
  private renew(): void {
    if (this.failurePause.left(this.now()) > 0) return;
    // Logged already; the current token stays in use.
    this.fetch().catch(() => undefined);
  }

  private fetch(): Promise<AccessToken> {
    this.fetching ??= this.fetchNow().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  private async fetchNow(): Promise<AccessToken> {
    const requestedAt = this.now();
    try {
      const token = new AccessToken(await this.options.fetchToken(), requestedAt);
      if (this.now() >= token.endsAt) throw tokenUnusable('an access token that has expired');
      this.succeeded(token);
      return token;
    } catch (error) {
      const failure = error instanceof AttemptFailure ? error : tokenUnusable('an unexpected error');
      this.failed(failure);
      throw failure;
    }
  }

  private succeeded(token: AccessToken): void {
    if (this.failure !== undefined) this.options.logger.log('The token endpoint issues access tokens again');
    this.failure = undefined;
    this.failurePause.reset();
    this.token = token;
    if (this.isReplacing) this.replacementPause.start(this.now());
    this.isReplacing = false;
    this.renewAfter(token, token.renewAt - this.now());
  }

  private failed(failure: AttemptFailure): void {
    const now = this.now();
    if (failure.message !== this.failure?.message) {
      this.options.logger.warn(`The token endpoint issues no access token: ${failure.message}`);
    }
    this.failure = failure;
    this.failurePause.start(now, failure.retryAfterMs);
    if (this.token !== undefined) this.renewAfter(this.token, this.failurePause.left(now));
  }

  /** Renews the token later, where it is in use then. */
  private renewAfter(token: AccessToken, ms: number): void {
    clearTimeout(this.renewal);
    this.renewal = setTimeout(() => {
      if (token === this.usable(this.now()) && token.isUsed) this.renew();
    }, ms);
    this.renewal.unref();
  }
}

/** Rejects with the reason as soon as the call is cancelled; the work goes on for others. */
function untilCancelled<T>(work: Promise<T>, cancellation: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    cancellation.listen(reject);
    const release = (): void => {
      // Before the next step of the attempt listens.
      cancellation.listen(undefined);
      resolve(work);
    };
    work.then(release, release);
  });
}
