import * as fc from 'fast-check';
import { AbortEmitter } from '../../../common/abort-emitter';
import type { UpstreamFailure } from '../../../resilience/upstream-failure';
import { tokenFailure, type IssuedToken } from './access-token';
import { OAuthCredentials } from './oauth-credentials';
import type { CredentialHeaders } from './upstream-credentials';

const TIMED_OUT = tokenFailure('upstream-timeout', 'no response in time');

const refused = (status: number, retryAfterMs?: number): UpstreamFailure =>
  tokenFailure('upstream-error', `status ${status}`, retryAfterMs);

interface Fetch {
  readonly at: number;
  readonly resolve: (token: IssuedToken) => void;
  readonly reject: (error: unknown) => void;
}

/** Credentials whose token endpoint is held: each fetch ends when the test says so. */
class Issuer {
  readonly fetches: Fetch[] = [];
  readonly logged: string[] = [];
  inFlight = 0;
  maxInFlight = 0;
  readonly credentials: OAuthCredentials;

  constructor(random = 0) {
    const write = (line: string): number => this.logged.push(line);
    jest.spyOn(Math, 'random').mockReturnValue(random);
    this.credentials = new OAuthCredentials(() => this.fetch(), { log: write, warn: write });
  }

  /** Issues `token-N`, N being the number of the fetch. */
  async issue(expiresIn: number | undefined = 100): Promise<void> {
    this.fetches.at(-1)?.resolve({ accessToken: `token-${this.fetches.length}`, expiresIn });
    await settled();
  }

  async fail(error: unknown = refused(500)): Promise<void> {
    this.fetches.at(-1)?.reject(error);
    await settled();
  }

  /** What a call gets: the number of its token, `waiting`, or why it failed. */
  call(cancellation = new AbortEmitter()): Call {
    return new Call(() => this.credentials.headers(cancellation));
  }

  replace(rejected: CredentialHeaders): Call {
    return new Call(() => this.credentials.replace(rejected, new AbortEmitter()));
  }

  private async fetch(): Promise<IssuedToken> {
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    try {
      return await new Promise((resolve, reject) => {
        this.fetches.push({ at: performance.now(), resolve, reject });
      });
    } finally {
      this.inFlight -= 1;
    }
  }
}

class Call {
  headers: CredentialHeaders | undefined;
  outcome = 'waiting';
  /** Whether it got its credential without a promise. */
  readonly wasImmediate: boolean;
  failure: UpstreamFailure | undefined;

  constructor(ask: () => CredentialHeaders | Promise<CredentialHeaders> | undefined) {
    const given = ask();
    this.wasImmediate = !(given instanceof Promise);
    if (given instanceof Promise) {
      given.then(
        (headers) => {
          this.got(headers);
        },
        (error: unknown) => {
          this.failure = error as UpstreamFailure;
          this.outcome = this.failure.reason;
        },
      );
    } else {
      this.got(given);
    }
  }

  get token(): CredentialHeaders {
    if (this.headers === undefined) throw new Error('The call has no token');
    return this.headers;
  }

  private got(headers: CredentialHeaders | undefined): void {
    this.headers = headers;
    this.outcome = headers?.Authorization?.replace('Bearer ', '') ?? 'none';
  }
}

const settled = async (): Promise<void> => {
  await jest.advanceTimersByTimeAsync(0);
};
const advance = (seconds: number): Promise<void> => jest.advanceTimersByTimeAsync(seconds * 1000);

describe('OAuthCredentials', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  async function withToken(expiresIn?: number): Promise<{ issuer: Issuer; first: Call }> {
    const issuer = new Issuer();
    const first = issuer.call();
    await issuer.issue(expiresIn);
    return { issuer, first };
  }

  it('D35 fetches nothing before a call needs it, then once for all waiting calls', async () => {
    const issuer = new Issuer();
    await advance(100);
    expect(issuer.fetches).toHaveLength(0);
    const calls = Array.from({ length: 20 }, () => issuer.call());
    await settled();
    expect(calls.every(({ outcome }) => outcome === 'waiting')).toBe(true);
    await issuer.issue();
    expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'token-1'));
    expect(issuer.fetches).toHaveLength(1);
    const later = issuer.call();
    expect([later.wasImmediate, later.token === calls[0]?.token]).toEqual([true, true]);
  });

  it('D35 a call that waits for a token ends with its cancellation; the others go on', async () => {
    const issuer = new Issuer();
    const cancellation = new AbortEmitter();
    const [cancelled, other] = [issuer.call(cancellation), issuer.call()];
    cancellation.abort();
    await settled();
    expect([cancelled.outcome, other.outcome]).toEqual(['upstream-timeout', 'waiting']);
    await issuer.issue();
    expect([cancelled.outcome, other.outcome, issuer.fetches.length]).toEqual(['upstream-timeout', 'token-1', 1]);
  });

  it('D35 a call that is cancelled already fetches no token', async () => {
    const issuer = new Issuer();
    const cancellation = new AbortEmitter();
    cancellation.abort();
    const cancelled = issuer.call(cancellation);
    await settled();
    expect([cancelled.outcome, issuer.fetches.length]).toEqual(['upstream-timeout', 0]);
  });

  it('D35 leaves no listener on the cancellation when the call has its token', async () => {
    const issuer = new Issuer();
    const cancellation = new AbortEmitter();
    issuer.call(cancellation);
    await issuer.issue();
    await settled();
    expect(cancellation.listenerCount('abort')).toBe(0);
  });

  it('D35 a call that uses a token after 80 % of its lifetime renews it, and does not wait', async () => {
    const { issuer } = await withToken(100);
    await advance(79.9);
    expect(issuer.call().outcome).toBe('token-1');
    expect(issuer.fetches).toHaveLength(1);
    await advance(0.2);
    expect(issuer.fetches).toHaveLength(1);
    const during = issuer.call();
    expect([during.wasImmediate, during.outcome, issuer.fetches.length]).toEqual([true, 'token-1', 2]);
    await issuer.issue(100);
    expect(issuer.call().outcome).toBe('token-2');
  });

  it.each([
    [100, 90],
    [3600, 3590],
    [undefined, 290],
    [1e9, 86_390],
  ])('D35 with expires_in %p a token is sent for %p s', async (expiresIn, seconds) => {
    const issuer = new Issuer();
    issuer.call();
    issuer.fetches[0]?.resolve({ accessToken: 'token-1', expiresIn });
    await settled();
    await advance(seconds - 0.001);
    expect(issuer.call().outcome).toBe('token-1');
    await advance(0.001);
    expect(issuer.call().outcome).toBe('waiting');
  });

  it.each([
    ['has expired', { accessToken: 'a', expiresIn: 0 }],
    ['no header can carry', { accessToken: 'a\nb', expiresIn: 100 }],
    ['is empty', { accessToken: '', expiresIn: 100 }],
  ])('D35 a token that %s is bad-reply', async (_, token) => {
    const issuer = new Issuer();
    const call = issuer.call();
    issuer.fetches[0]?.resolve(token);
    await settled();
    expect(call.outcome).toBe('bad-reply');
  });

  it('D35 an error that is no failure of an attempt is one all the same', async () => {
    const issuer = new Issuer();
    const call = issuer.call();
    await issuer.fail(new TypeError('hidden-credential'));
    expect(call.outcome).toBe('bad-reply');
    expect(issuer.logged.join()).not.toContain('hidden');
  });

  it('D35 a failed fetch starts a pause, in which calls fail at once with the same reason', async () => {
    const issuer = new Issuer();
    const pauses = [1, 2, 4, 8, 16, 32, 60, 60];
    for (const [index, pause] of pauses.entries()) {
      const call = issuer.call();
      expect(issuer.fetches).toHaveLength(index + 1);
      await issuer.fail(refused(503));
      await advance(pause - 0.001);
      const paused = issuer.call();
      await settled();
      expect([call.outcome, paused.outcome, paused.failure?.retryable]).toEqual([
        'upstream-error',
        'upstream-error',
        false,
      ]);
      expect(paused.failure?.retryAfterMs).toBeCloseTo(1);
      expect(issuer.fetches).toHaveLength(index + 1);
      await advance(0.001);
    }
    const last = issuer.call();
    await issuer.issue();
    expect(last.outcome).toBe('token-9');
  });

  it('D35 jitter shortens a pause by up to a half', async () => {
    const issuer = new Issuer(0.999);
    issuer.call();
    await issuer.fail();
    await advance(0.5);
    issuer.call();
    expect(issuer.fetches).toHaveLength(1);
    await advance(0.001);
    issuer.call();
    expect(issuer.fetches).toHaveLength(2);
  });

  it.each([
    [7, 7],
    [86_400, 300],
  ])('D35 Retry-After of %p s is honoured for %p s', async (retryAfter, seconds) => {
    const issuer = new Issuer();
    issuer.call();
    await issuer.fail(refused(429, retryAfter * 1000));
    await advance(seconds - 0.001);
    issuer.call();
    expect(issuer.fetches).toHaveLength(1);
    await advance(0.001);
    issuer.call();
    expect(issuer.fetches).toHaveLength(2);
  });

  it('D35 a failed renewal is repeated after a pause, and calls keep their token until it expires', async () => {
    const { issuer } = await withToken(100);
    await advance(80);
    issuer.call();
    await issuer.fail();
    expect([issuer.call().outcome, issuer.fetches.length]).toEqual(['token-1', 2]);
    await advance(1);
    expect([issuer.call().outcome, issuer.fetches.length]).toEqual(['token-1', 3]);
    await issuer.fail(TIMED_OUT);
    await advance(1.9);
    expect([issuer.call().outcome, issuer.fetches.length]).toEqual(['token-1', 3]);
    await advance(0.1);
    expect(issuer.call().outcome).toBe('token-1');
    await issuer.issue(100);
    expect(issuer.call().outcome).toBe('token-4');
  });

  it('D35 logs each cause once, and the end of it', async () => {
    const issuer = new Issuer();
    for (const error of [refused(503), refused(503), TIMED_OUT]) {
      issuer.call();
      await issuer.fail(error);
      await advance(60);
    }
    issuer.call();
    await issuer.issue();
    expect(issuer.logged).toEqual([
      'The token endpoint issues no access token: status 503',
      'The token endpoint issues no access token: no response in time',
      'The token endpoint issues access tokens again',
    ]);
  });

  it('D35 a rejected token is replaced once for all calls that hold it', async () => {
    const { issuer, first } = await withToken();
    const calls = Array.from({ length: 5 }, () => issuer.replace(first.token));
    const newcomer = issuer.call();
    expect(issuer.fetches).toHaveLength(2);
    await issuer.issue();
    expect([...calls, newcomer].map(({ outcome }) => outcome)).toEqual(Array(6).fill('token-2'));
    const late = issuer.replace(first.token);
    expect([late.wasImmediate, late.outcome, issuer.fetches.length]).toEqual([true, 'token-2', 2]);
  });

  it('D35 a replacement that is rejected too is replaced after a pause, which grows', async () => {
    const { issuer, first } = await withToken(10_000);
    let rejected = first.token;
    for (const [index, pause] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      const replaced = issuer.replace(rejected);
      expect(issuer.fetches).toHaveLength(index + 2);
      await issuer.issue(10_000);
      rejected = replaced.token;
      await advance(pause - 0.001);
      expect(issuer.replace(rejected).outcome).toBe('none');
      await advance(0.001);
    }
    await advance(3600);
    issuer.replace(rejected);
    await issuer.issue(10_000);
    rejected = issuer.call().token;
    await advance(1);
    expect(issuer.replace(rejected).outcome).toBe('waiting');
  });

  it('D35 where the replacement cannot be fetched, the call fails for that reason', async () => {
    const { issuer, first } = await withToken();
    const call = issuer.replace(first.token);
    await issuer.fail(TIMED_OUT);
    expect(call.outcome).toBe('upstream-timeout');
  });

  type Step =
    | { readonly do: 'call' | 'fail' | 'cancel' }
    | { readonly do: 'issue' | 'advance'; readonly seconds: number }
    | { readonly do: 'reject'; readonly which: number };

  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('call' as const, 'fail' as const, 'cancel' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('issue' as const, 'advance' as const),
        seconds: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.double({ min: 0.01, max: 3, noNaN: true })),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reject' as const), which: fc.nat(20) }) },
  );

  it('D35 never fetches twice at once, sends an expired token, or replaces a token twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        async (steps, random) => {
          const issuer = new Issuer(random);
          const expiry = new Map<string, number>();
          /** The token that was issued last, and what is known of it. */
          let latest = { name: 'none', renewAt: -Infinity, replacesUntil: -Infinity, isDropped: true };
          let isReplacing = false;
          const calls: Call[] = [];
          const cancellations: AbortEmitter[] = [];
          let failedAt = -Infinity;
          /** A token may be sent at the moment when a call gets it, never once it has expired. */
          const check = (call: Call): void => {
            if (call.headers !== undefined && call.outcome !== 'none') {
              expect(performance.now()).toBeLessThan(expiry.get(call.outcome) ?? 0);
            }
          };
          const issue = async (seconds: number): Promise<void> => {
            const name = `token-${issuer.fetches.length}`;
            const at = issuer.fetches.at(-1)?.at ?? 0;
            expiry.set(name, at + seconds * 1000);
            await issuer.issue(seconds);
            if (performance.now() >= at + seconds * 1000 - Math.min(seconds * 100, 10_000)) {
              failedAt = performance.now();
              return;
            }
            const replacesUntil = isReplacing ? performance.now() + 500 : -Infinity;
            latest = { name, renewAt: at + seconds * 800, replacesUntil, isDropped: false };
            isReplacing = false;
          };
          for (const current of steps) {
            const before = issuer.fetches.length;
            switch (current.do) {
              case 'call': {
                const cancellation = new AbortEmitter();
                cancellations.push(cancellation);
                const call = issuer.call(cancellation);
                check(call);
                calls.push(call);
                break;
              }
              case 'issue':
                if (issuer.inFlight === 0) break;
                await issue(current.seconds);
                break;
              case 'fail':
                if (issuer.inFlight === 0) break;
                await issuer.fail();
                failedAt = performance.now();
                break;
              case 'cancel':
                cancellations.splice(0).forEach((cancellation) => {
                  cancellation.abort();
                });
                await settled();
                break;
              case 'reject': {
                const held = calls.filter((call) => call.headers !== undefined);
                const rejected = held[current.which % (held.length || 1)]?.headers;
                if (rejected === undefined) break;
                const isLatest = rejected.Authorization === `Bearer ${latest.name}`;
                const isRenewed = latest.isDropped || performance.now() >= latest.renewAt;
                // An expired token is fetched anew like any other.
                const isUsable = performance.now() < (expiry.get(latest.name) ?? 0);
                const mayReplace = isLatest && isUsable && performance.now() >= latest.replacesUntil;
                const call = issuer.replace(rejected);
                check(call);
                calls.push(call);
                // A fetch needs a reason: the token that is rejected is the current one, and no recent replacement.
                if (!mayReplace && !isRenewed) expect(issuer.fetches).toHaveLength(before);
                if (mayReplace && call.outcome === 'waiting' && !latest.isDropped) {
                  latest = { ...latest, isDropped: true };
                  isReplacing = true;
                }
                break;
              }
              case 'advance':
                await advance(current.seconds);
            }
            if (issuer.fetches.length > before) {
              // At least half of the shortest pause is between a failure and the next fetch.
              expect((issuer.fetches.at(-1)?.at ?? 0) - failedAt).toBeGreaterThanOrEqual(500);
            }
            expect(issuer.maxInFlight).toBeLessThanOrEqual(1);
          }
          if (issuer.inFlight > 0) await issue(1000);
          await settled();
          expect(calls.map(({ outcome }) => outcome)).not.toContain('waiting');
        },
      ),
    );
  });
});
