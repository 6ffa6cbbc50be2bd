import type { LoggerService } from '@nestjs/common';
import type { AbortEmitter } from '../../../common/abort-emitter';
import { timedOut } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { AccessToken, tokenFailure, type IssuedToken } from './access-token';
import { UpstreamCredentials, type CredentialHeaders } from './upstream-credentials';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A `Retry-After` is honoured up to this. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/**
 * Pauses that double from 1 s to 60 s, each shortened by up to a half at random, so that replicas do not act at the same
 * moment. Times are in milliseconds on the clock of the caller.
 */
class GrowingPause {
  private count = 0;
  private endsAt = -Infinity;

  /** How much of the pause is left; 0: it is over. */
  left(now: number): number {
    return Math.max(0, this.endsAt - now);
  }

  /** @param retryAfterMs the pause is at least this long, up to five minutes */
  start(now: number, retryAfterMs = 0): void {
    const fullMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.count);
    this.count += 1;
    this.endsAt = now + Math.max(Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS), fullMs * (1 - Math.random() / 2));
  }

  /** The next pause is a short one, unless the last one ended less than the longest pause ago. */
  resetWhenQuiet(now: number): void {
    if (now - this.endsAt >= LONGEST_PAUSE_MS) this.count = 0;
  }

  /** Ends the pause; the next one is a short one. */
  reset(): void {
    this.count = 0;
    this.endsAt = -Infinity;
  }
}

/** Fetches one access token, within a bounded time. Rejects with an UpstreamFailure. */
export type FetchToken = () => Promise<IssuedToken>;

/**
 * Access tokens of OAuth 2.0 client credentials. There is one fetch at a time, for all calls. A call that uses a token
 * after 80 % of its lifetime renews it in the background. A failed fetch starts a pause, in which calls without a token fail with the
 * same reason. A token that is rejected is replaced once; the next replacement waits for a pause.
 */
export class OAuthCredentials extends UpstreamCredentials {
  private token: AccessToken | undefined;
  private fetching: Promise<AccessToken> | undefined;
  private failure: UpstreamFailure | undefined;
  /** The last token was rejected, and there is no other yet. */
  private isReplacing = false;
  private readonly failurePause = new GrowingPause();
  private readonly replacementPause = new GrowingPause();

  constructor(
    private readonly fetchToken: FetchToken,
    private readonly logger: Pick<LoggerService, 'log' | 'warn'>,
  ) {
    super();
  }

  override headers(abort: AbortEmitter): CredentialHeaders | Promise<CredentialHeaders> {
    const now = performance.now();
    const token = this.usable(now);
    if (token === undefined) return this.fetched(now, abort);
    if (now >= token.renewAt) this.renew();
    return token.headers;
  }

  override replace(
    rejected: CredentialHeaders,
    abort: AbortEmitter,
  ): CredentialHeaders | Promise<CredentialHeaders> | undefined {
    const now = performance.now();
    const token = this.usable(now);
    if (token?.headers === rejected) {
      if (this.replacementPause.left(now) > 0) return undefined;
      this.replacementPause.resetWhenQuiet(now);
      this.isReplacing = true;
      this.token = undefined;
    }
    return this.headers(abort);
  }

  private usable(now: number): AccessToken | undefined {
    return this.token !== undefined && now < this.token.endsAt ? this.token : undefined;
  }

  /** A new token, or the one that is being fetched. */
  private async fetched(now: number, abort: AbortEmitter): Promise<CredentialHeaders> {
    if (abort.aborted) throw timedOut();
    const waitMs = this.failurePause.left(now);
    if (this.fetching === undefined && this.failure !== undefined && waitMs > 0) {
      throw tokenFailure(this.failure.reason, this.failure.message, waitMs);
    }
    const token = await untilAborted(this.fetch(), abort);
    return token.headers;
  }

  /** Fetches a token in the background, unless a fetch failed a moment ago. */
  private renew(): void {
    if (this.failurePause.left(performance.now()) > 0) return;
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
    const requestedAt = performance.now();
    try {
      const token = new AccessToken(await this.fetchToken(), requestedAt);
      if (performance.now() >= token.endsAt) throw tokenFailure('bad-reply', 'an access token that has expired');
      this.succeeded(token);
      return token;
    } catch (error) {
      const failure = error instanceof UpstreamFailure ? error : tokenFailure('bad-reply', 'an unexpected error');
      this.failed(failure);
      throw failure;
    }
  }

  private succeeded(token: AccessToken): void {
    if (this.failure !== undefined) this.logger.log('The token endpoint issues access tokens again');
    this.failure = undefined;
    this.failurePause.reset();
    this.token = token;
    if (this.isReplacing) this.replacementPause.start(performance.now());
    this.isReplacing = false;
  }

  private failed(failure: UpstreamFailure): void {
    const now = performance.now();
    if (failure.message !== this.failure?.message) {
      this.logger.warn(`The token endpoint issues no access token: ${failure.message}`);
    }
    this.failure = failure;
    this.failurePause.start(now, failure.retryAfterMs);
  }
}

/** Rejects as soon as the attempt ends; the work goes on for others. */
function untilAborted<T>(work: Promise<T>, abort: AbortEmitter): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      reject(timedOut());
    };
    abort.once('abort', end);
    const settle = (): void => {
      abort.off('abort', end);
      resolve(work);
    };
    work.then(settle, settle);
  });
}
