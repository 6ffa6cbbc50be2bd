import type { FlattenedJWSInput, JWSHeaderParameters } from 'jose';
import type { LoggerService } from '@nestjs/common';

type Jose = typeof import('jose');
type KeyFinder = ReturnType<Jose['createLocalJWKSet']>;
type Key = Awaited<ReturnType<KeyFinder>>;

const FETCH_TIMEOUT_MS = 2000;
const MAX_BYTES = 1_048_576;
/** Older keys are used while newer ones are fetched. */
const FRESH_MS = 600_000;
/** An unknown key id makes the service fetch the keys again, at most this often. */
const UNKNOWN_KEY_COOLDOWN_MS = 10_000;
const FAILURE_COOLDOWN_MS = 1000;

/** The keys of the issuer are unavailable, so that a token cannot be verified. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';

  /** @param retryAfterMs when they are fetched again */
  constructor(readonly retryAfterMs: number) {
    super('The keys of the issuer cannot be fetched');
  }
}

/** Options of {@link IssuerKeys}. */
export interface IssuerKeysOptions {
  readonly jose: Jose;
  readonly url: URL;
  readonly logger: Pick<LoggerService, 'log' | 'warn'>;
  /** Older keys are not trusted, in milliseconds. */
  readonly maxAgeMs: number;
  /** Whether an unverified token may be one of the issuer: for other tokens no keys are fetched. */
  readonly isPlausible: (token: FlattenedJWSInput) => boolean;
}

/**
 * The public keys of an issuer (JWKS, RFC 7517). They are fetched once and refreshed while they are used. An unknown key id
 * fetches them again, so that rotated keys are found. Fetched keys are used while the key server is unavailable, slow or
 * returning invalid data, up to a maximum age.
 */
export class IssuerKeys {
  private fetched: KeyFinder | undefined;
  private fetchedAt = -Infinity;
  private nextFetchAt = -Infinity;
  private failing = false;
  private pending: Promise<void> | undefined;

  constructor(private readonly options: IssuerKeysOptions) {}

  /**
   * Finds the key of a token.
   *
   * @throws {KeysUnavailableError} where the keys, or the current ones, are unavailable
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

  /** Changes whenever the keys change or expire. */
  get generation(): unknown {
    return this.finder;
  }

  /** The keys while they are trusted. */
  private get finder(): KeyFinder | undefined {
    return performance.now() - this.fetchedAt <= this.options.maxAgeMs ? this.fetched : undefined;
  }

  /** Refreshes old keys in the background. Call it wherever results of their verification are used. */
  refreshInTime(): void {
    const isOld = this.finder !== undefined && performance.now() - this.fetchedAt > FRESH_MS;
    if (isOld) void this.fetchUnlessCooling();
  }

  /** Fetches the keys, unless fetching failed a moment ago. Failures are logged, never thrown. */
  async fetchUnlessCooling(): Promise<void> {
    if (this.pending === undefined && performance.now() < this.nextFetchAt) return;
    this.pending ??= this.fetch().finally(() => {
      this.pending = undefined;
    });
    await this.pending;
  }

  /**
   * Fetches the keys where they are still those that lack one, at most once in 10 s.
   *
   * @param known what {@link generation} was
   * @throws {KeysUnavailableError} where they cannot be fetched
   */
  async lookForNewKeys(known: unknown): Promise<void> {
    if (this.fetched !== known) return;
    await this.fetchUnlessCooling();
    if (this.failing) throw new KeysUnavailableError(this.waitMs);
    if (this.fetched !== known) this.nextFetchAt = performance.now() + UNKNOWN_KEY_COOLDOWN_MS;
  }

  private current(): KeyFinder {
    if (this.finder === undefined) throw new KeysUnavailableError(this.waitMs);
    return this.finder;
  }

  private get waitMs(): number {
    return Math.max(0, this.nextFetchAt - performance.now());
  }

  private async fetch(): Promise<void> {
    const { jose, url, logger } = this.options;
    try {
      this.fetched = jose.createLocalJWKSet(asKeySet(await download(url)));
      this.fetchedAt = performance.now();
      if (this.failing) logger.log('The keys of the token issuer are available again');
      this.failing = false;
    } catch (error) {
      this.nextFetchAt = performance.now() + FAILURE_COOLDOWN_MS;
      const reason = error instanceof Error ? error.name : typeof error;
      if (!this.failing) logger.warn(`The keys of the token issuer cannot be fetched: ${reason}`);
      this.failing = true;
    }
  }
}

/** Fetches JSON of a bounded size, without redirects. */
async function download(url: URL): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new RangeError('The key server did not respond with 200');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new RangeError('The key set is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** An empty set would refuse every client; the keys fetched before are used instead. */
function asKeySet(value: unknown): Parameters<Jose['createLocalJWKSet']>[0] {
  const { keys } = (value ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('Not a key set');
  return value as Parameters<Jose['createLocalJWKSet']>[0];
}
