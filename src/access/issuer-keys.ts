import type { FlattenedJWSInput, JWSHeaderParameters } from 'jose';
import type { Logger } from 'pino';

type Jose = typeof import('jose');
type KeyFinder = ReturnType<Jose['createLocalJWKSet']>;
type Key = Awaited<ReturnType<KeyFinder>>;

const FETCH_TIMEOUT_MS = 2000;
const MAX_BYTES = 1_048_576;
/** Older keys are used while newer ones are fetched. */
const FRESH_MS = 600_000;
/** A key that nobody has heard of makes the service ask again, no more often than this. */
const UNKNOWN_KEY_COOLDOWN_MS = 10_000;
const FAILURE_COOLDOWN_MS = 1000;

/** The keys of the issuer are not known, so that nothing can be said of a token. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';

  /** @param retryAfterMs when they are asked for again */
  constructor(readonly retryAfterMs: number) {
    super('The keys of the issuer cannot be fetched');
  }
}

/** What {@link IssuerKeys} is made with. */
export interface IssuerKeysOptions {
  readonly jose: Jose;
  readonly url: URL;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Whether a token, as far as it can be told without a key, could be good: nobody is asked for the keys of others. */
  readonly isPlausible: (token: FlattenedJWSInput) => boolean;
  /** Milliseconds on a clock that never jumps. */
  readonly now?: () => number;
}

/**
 * The public keys of an issuer (JWKS, RFC 7517). They are fetched once and refreshed while they are used; a key id that is
 * not among them makes the service ask again, so that rotated keys are found. What was fetched once goes on working
 * while the key server is lost, slow or talking nonsense.
 */
export class IssuerKeys {
  private finder: KeyFinder | undefined;
  private fetchedAt = -Infinity;
  private nextFetchAt = -Infinity;
  private failing = false;
  private pending: Promise<void> | undefined;
  private readonly now: () => number;

  constructor(private readonly options: IssuerKeysOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Finds the key of a token.
   *
   * @throws {KeysUnavailable} where the keys, or those that are current, cannot be had
   * @throws {JOSEError} where the token names no key of the issuer
   */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<Key> {
    const { finder } = this;
    const { jose, isPlausible } = this.options;
    if (finder === undefined) {
      if (!isPlausible(token)) throw new jose.errors.JWTInvalid('Not a token of the issuer');
      await this.fetchUnlessCooling();
      return await this.current()(header, token);
    }
    this.refreshInTime();
    try {
      return await finder(header, token);
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey) || !isPlausible(token)) throw error;
      await this.lookForNewKeys(finder);
      return await this.current()(header, token);
    }
  }

  /** Changes whenever other keys may be good than before. */
  get generation(): unknown {
    return this.finder;
  }

  /** Has old keys fetched anew, without waiting for it. To be called wherever what was checked with them is used. */
  refreshInTime(): void {
    const isOld = this.finder !== undefined && this.now() - this.fetchedAt > FRESH_MS;
    if (isOld) void this.fetchUnlessCooling();
  }

  /** Fetches the keys, unless they were asked for in vain a moment ago. Failing is logged, never thrown. */
  async fetchUnlessCooling(): Promise<void> {
    if (this.pending === undefined && this.now() < this.nextFetchAt) return;
    this.pending ??= this.fetch().finally(() => {
      this.pending = undefined;
    });
    await this.pending;
  }

  /** @param known keys among which the one looked for was not */
  private async lookForNewKeys(known: KeyFinder): Promise<void> {
    if (this.finder !== known) return;
    await this.fetchUnlessCooling();
    if (this.failing) throw new KeysUnavailable(this.waitMs);
    if (this.finder !== known) this.nextFetchAt = this.now() + UNKNOWN_KEY_COOLDOWN_MS;
  }

  private current(): KeyFinder {
    if (this.finder === undefined) throw new KeysUnavailable(this.waitMs);
    return this.finder;
  }

  private get waitMs(): number {
    return Math.max(0, this.nextFetchAt - this.now());
  }

  private async fetch(): Promise<void> {
    const { jose, url, logger } = this.options;
    try {
      this.finder = jose.createLocalJWKSet(asKeySet(await download(url)));
      this.fetchedAt = this.now();
      if (this.failing) logger.info('The keys of the token issuer are available again');
      this.failing = false;
    } catch (error) {
      this.nextFetchAt = this.now() + FAILURE_COOLDOWN_MS;
      const reason = error instanceof Error ? error.name : typeof error;
      if (!this.failing) logger.warn({ reason }, 'The keys of the token issuer cannot be fetched');
      this.failing = true;
    }
  }
}

/** Fetches JSON; follows no redirect and reads no more than is reasonable. */
async function download(url: URL): Promise<unknown> {
  const answer = await fetch(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (answer.status !== 200 || answer.body === null) {
    await answer.body?.cancel();
    throw new RangeError('The key server did not answer 200');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new RangeError('The key set is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** A set without any key locks everybody out; keys that were good a moment ago are a better guess. */
function asKeySet(value: unknown): Parameters<Jose['createLocalJWKSet']>[0] {
  const { keys } = (value ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('Not a key set');
  return value as Parameters<Jose['createLocalJWKSet']>[0];
}
