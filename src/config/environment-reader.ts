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

  /** Gathers a fault where the variable is unset. */
  require(name: string, rule: string): void {
    if (this.value(name) === undefined) this.fault(name, rule);
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

  origins(name: string): readonly string[] {
    const origins = (this.value(name) ?? '')
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== '');
    if (!origins.every(isOrigin)) this.fault(name, 'must be origins such as https://example.com, separated by commas');
    return Object.freeze(origins);
  }

  baseUrl(name: string): URL | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      this.fault(name, 'must be an absolute http or https URL');
      return undefined;
    }
    if (url.username !== '' || url.password !== '') this.fault(name, 'must not carry credentials');
    if (value.includes('?')) this.fault(name, 'must not carry a query');
    if (value.includes('#')) this.fault(name, 'must not carry a fragment');
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
