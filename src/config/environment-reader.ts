import { isIP } from 'node:net';

const PROXY_RANGES = ['loopback', 'linklocal', 'uniquelocal'];
const DIGEST_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The environment does not describe a service that could start. `message` names every fault and no value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly string[]) {
    super(`Bad settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Reads typed values from environment variables and gathers what is wrong with them, so that all faults are told at
 * once. An empty variable counts as unset. Fault texts name the variable and its rule, never the value.
 */
export class EnvironmentReader {
  private readonly faults: string[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  fault(name: string, rule: string): void {
    this.faults.push(`${name} ${rule}`);
  }

  isSet(name: string): boolean {
    return this.value(name) !== undefined;
  }

  /** Gathers a fault where the variable is unset. */
  require(name: string, rule: string): void {
    if (!this.isSet(name)) this.fault(name, rule);
  }

  /** @throws {SettingsError} where any value read so far was bad */
  throwFaults(): void {
    if (this.faults.length > 0) throw new SettingsError(this.faults);
  }

  text(name: string, fallback: string): string {
    return this.value(name) ?? fallback;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.value(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    this.fault(name, `must be an integer from ${min} to ${max}`);
    return fallback;
  }

  /** A plain decimal number from 0 to 1. */
  share(name: string, fallback: number): number {
    const value = this.value(name);
    if (value === undefined) return fallback;
    const number = /^\d(\.\d{1,15})?$/.test(value) ? Number(value) : NaN;
    if (number <= 1) return number;
    this.fault(name, 'must be a number from 0 to 1');
    return fallback;
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, ['true', 'false'], String(fallback)) === 'true';
  }

  /** `undefined` where the variable is unset. */
  optionalInteger(name: string, min: number, max: number): number | undefined {
    return this.value(name) === undefined ? undefined : this.integer(name, min, min, max);
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.value(name);
    if (value === undefined) return fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.fault(name, `must be one of ${choices.join(', ')}`);
    return choice ?? fallback;
  }

  /** A regular expression that is to match a whole text, anchored or not as written. */
  pattern(name: string, fallback: string): RegExp {
    const source = this.value(name) ?? fallback;
    try {
      // By itself first: within the group, an unbalanced one could pass.
      new RegExp(source, 'u');
      return new RegExp(`^(?:${source})$`, 'u');
    } catch {
      this.fault(name, 'must be a regular expression');
      return new RegExp(fallback, 'u');
    }
  }

  /** A token that can stand in an HTTP header as it is. */
  secret(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
    this.fault(name, 'must be visible ASCII characters without spaces');
    return undefined;
  }

  /** Some of the choices, separated by commas; all of them where the variable is unset. */
  choices<T extends string>(name: string, choices: readonly T[]): readonly T[] {
    const names = this.list(name);
    const chosen = choices.filter((choice) => names.includes(choice));
    if (names.some((value) => !(choices as readonly string[]).includes(value))) {
      this.fault(name, `must be some of ${choices.join(', ')}, separated by commas`);
    }
    return Object.freeze(names.length === 0 ? [...choices] : chosen);
  }

  /** OAuth scopes (RFC 6749), separated by spaces. */
  scopes(name: string): readonly string[] {
    const scopes = (this.value(name) ?? '').split(' ').filter((scope) => scope !== '');
    if (!scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      this.fault(name, 'must be scopes of visible ASCII characters without quotes, separated by spaces');
    }
    return Object.freeze(scopes);
  }

  /** SHA-256 digests in hexadecimal, separated by commas. */
  digests(name: string): readonly Buffer[] {
    const digests = this.list(name).map((digest) => digest.toLowerCase());
    if (!digests.every((digest) => /^[0-9a-f]{64}$/.test(digest))) {
      this.fault(name, 'must be SHA-256 digests of 64 hexadecimal digits, separated by commas');
    }
    if (digests.includes(DIGEST_OF_NOTHING)) this.fault(name, 'must not hold the digest of an empty key');
    return Object.freeze(digests.map((digest) => Buffer.from(digest, 'hex')));
  }

  /** Addresses, networks such as `10.0.0.0/8`, and the names `loopback`, `linklocal` and `uniquelocal`. */
  networks(name: string): readonly string[] {
    const networks = this.list(name);
    if (!networks.every(isNetwork)) {
      this.fault(name, `must be addresses, networks such as 10.0.0.0/8 or ${PROXY_RANGES.join(', ')}`);
    }
    return Object.freeze(networks);
  }

  origins(name: string): readonly string[] {
    const origins = this.list(name);
    if (!origins.every(isOrigin)) this.fault(name, 'must be origins such as https://example.com, separated by commas');
    return Object.freeze(origins);
  }

  baseUrl(name: string): URL | undefined {
    const value = this.value(name) ?? '';
    const url = this.url(name);
    if (url === undefined) return undefined;
    if (value.includes('?')) this.fault(name, 'must not carry a query');
    if (value.includes('#')) this.fault(name, 'must not carry a fragment');
    return url;
  }

  /** An absolute http or https URL; it may have a query. */
  url(name: string): URL | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      this.fault(name, 'must be an absolute http or https URL');
      return undefined;
    }
    if (url.username !== '' || url.password !== '') this.fault(name, 'must not carry credentials');
    return url;
  }

  /** Where a Redis is, `redis://[user[:password]@]host[:port][/database]`; `rediss` over TLS. */
  redisUrl(name: string): URL | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if ((url?.protocol !== 'redis:' && url?.protocol !== 'rediss:') || url.hostname === '') {
      this.fault(name, 'must be a URL such as redis://host:6379 or rediss://user:password@host:6380/0');
      return undefined;
    }
    if (!/^\/?\d{0,4}$/.test(url.pathname))
      this.fault(name, 'must have nothing but the number of a database as its path');
    if (value.includes('?')) this.fault(name, 'must not carry a query');
    if (value.includes('#')) this.fault(name, 'must not carry a fragment');
    if (!isDecodable(url.username) || !isDecodable(url.password)) {
      this.fault(name, 'must carry user and password percent-encoded');
    }
    return url;
  }

  /** A path below the base URL, holding each of the placeholders once. */
  path(name: string, fallback: string, placeholder?: string): string {
    const path = this.value(name) ?? fallback;
    const pieces = placeholder === undefined ? [path] : path.split(placeholder);
    const expected = placeholder === undefined ? 1 : 2;
    const plain = pieces.join('x');
    if (pieces.length !== expected) this.fault(name, `must hold ${String(placeholder)} once`);
    if (!plain.startsWith('/') || plain.startsWith('//') || !isPlainPath(plain)) {
      this.fault(
        name,
        'must be a path that starts with one / and has no query, fragment, dot segments or unsafe characters',
      );
    }
    return path;
  }

  private list(name: string): string[] {
    return (this.value(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  private value(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isPlainPath(path: string): boolean {
  const base = 'http://host';
  return URL.canParse(path, base) && new URL(path, base).href === base + path && !/[?#{}]/.test(path);
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0) return PROXY_RANGES.includes(text);
  const bits = version === 4 ? 32 : 128;
  return rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}
