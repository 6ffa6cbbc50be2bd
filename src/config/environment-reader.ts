import { isDecodable } from '../common/text';
import { SettingsError } from './setting-definition';
import type { Bounds, Help, SettingDefinition, TextSetting, WithDefault } from './setting-definition';
import { readSecretFile, type Secret } from './secret-file';
import { isNetwork, isOrigin, isPlainPath, isVisibleAscii, PROXY_RANGES, split } from './value-formats';

/** Whether a text matches, and the source of the pattern. */
export type TextPattern = Pick<RegExp, 'source' | 'test'>;

const HTTP_URL = 'an absolute http or https URL';
const DIGEST_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Reads typed values from environment variables. It collects all errors, so that they are reported together, and the
 * definitions of the variables, so that they can be documented. An empty variable counts as unset. Error texts contain
 * the name of the variable and its rule, never the value. Secrets can come from a file, named by the variable with
 * `_FILE` at its end.
 */
export class EnvironmentReader {
  private readonly errors: string[] = [];
  private readonly read: SettingDefinition[] = [];
  private readonly secrets = new Map<string, string>();
  private sectionTitle = '';

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  /** The variables read so far, in this order. */
  get definitions(): readonly SettingDefinition[] {
    return this.read;
  }

  section(title: string): void {
    this.sectionTitle = title;
  }

  addError(name: string, rule: string): void {
    this.errors.push(`${name} ${rule}`);
  }

  isSet(name: string): boolean {
    return this.value(name) !== undefined;
  }

  /** Adds an error where the variable is unset. */
  require(name: string, rule: string): void {
    if (!this.isSet(name)) this.addError(name, rule);
  }

  /** @throws {SettingsError} where any value read so far is invalid */
  throwErrors(): void {
    if (this.errors.length > 0) throw new SettingsError(this.errors);
  }

  /** @returns the default where the variable is unset, an empty text without a default */
  text(name: string, { default: fallback, help, allowed = 'any text' }: TextSetting): string {
    return this.define(name, allowed, help, fallback) ?? fallback ?? '';
  }

  integer(name: string, { default: fallback, help, ...bounds }: WithDefault<number> & Bounds): number {
    return this.parseInteger(name, bounds, help, fallback) ?? fallback;
  }

  /** @returns `undefined` where the variable is unset */
  optionalInteger(name: string, { help, ...bounds }: Help & Bounds): number | undefined {
    return this.parseInteger(name, bounds, help);
  }

  choice<T extends string>(name: string, choices: readonly T[], { default: fallback, help }: WithDefault<T>): T {
    const allowed = `one of ${choices.join(', ')}`;
    const value = this.define(name, allowed, help, fallback);
    if (value === undefined) return fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.addError(name, `must be ${allowed}`);
    return choice ?? fallback;
  }

  /** A regular expression that has to match a whole text, anchored or not. */
  pattern(name: string, { default: fallback, help }: WithDefault<string>): TextPattern {
    const allowed = 'a regular expression';
    const source = this.define(name, allowed, help, fallback) ?? fallback;
    try {
      // Alone first: `a)(b` is valid within the group only.
      new RegExp(source, 'u');
      return new RegExp(`^(?:${source})$`, 'u');
    } catch {
      this.addError(name, `must be ${allowed}`);
      return new RegExp(fallback, 'u');
    }
  }

  /** A token that can be sent in an HTTP header unchanged. */
  secret(name: string, { help }: Help): Secret | undefined {
    const allowed = 'visible ASCII characters without spaces';
    const value = this.secretText(name, allowed, help);
    if (value === undefined) return undefined;
    if (isVisibleAscii(value)) return Object.freeze({ value, file: this.value(`${name}_FILE`) });
    this.addError(name, `must be ${allowed}`);
    return undefined;
  }

  /** OAuth scopes (RFC 6749), separated by spaces. */
  scopes(name: string, { help }: Help): readonly string[] {
    const allowed = 'scopes of visible ASCII characters without quotes, separated by spaces';
    const scopes = split(this.define(name, allowed, help), ' ');
    return this.every(name, allowed, scopes, (scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  }

  /** SHA-256 digests in hexadecimal, separated by commas; a file may have one a line. */
  digests(name: string, { help }: Help): readonly Buffer[] {
    const allowed = 'SHA-256 digests of 64 hexadecimal digits, separated by commas';
    const list = this.secretText(name, allowed, help)?.replaceAll('\n', ',');
    const digests = split(list).map((digest) => digest.toLowerCase());
    this.every(name, allowed, digests, (digest) => /^[0-9a-f]{64}$/.test(digest));
    if (digests.includes(DIGEST_OF_NOTHING)) this.addError(name, 'must not hold the digest of an empty key');
    return Object.freeze(digests.map((digest) => Buffer.from(digest, 'hex')));
  }

  /** Addresses, networks such as `10.0.0.0/8`, and the names `loopback`, `linklocal` and `uniquelocal`. */
  networks(name: string, { help }: Help): readonly string[] {
    const allowed = `addresses, networks such as 10.0.0.0/8 or ${PROXY_RANGES.join(', ')}`;
    return this.every(name, allowed, split(this.define(name, allowed, help)), isNetwork);
  }

  origins(name: string, { help }: Help): readonly string[] {
    const allowed = 'origins such as https://example.com, separated by commas';
    return this.every(name, allowed, split(this.define(name, allowed, help)), isOrigin);
  }

  /** An absolute http or https URL without a query. */
  baseUrl(name: string, { help }: Help): URL | undefined {
    const url = this.parseUrl(name, this.define(name, `${HTTP_URL} without credentials, query and fragment`, help));
    if (url !== undefined) this.refuseQueryAndFragment(name);
    return url;
  }

  /** An absolute http or https URL; it may have a query. */
  url(name: string, { help }: Help): URL | undefined {
    return this.parseUrl(name, this.define(name, `${HTTP_URL} without credentials`, help));
  }

  /** The address of a Redis, `redis://[user[:password]@]host[:port][/database]`; `rediss` over TLS. */
  redisUrl(name: string, { help }: Help): URL | undefined {
    const allowed = 'a URL such as redis://host:6379 or rediss://user:password@host:6380/0';
    const value = this.secretText(name, allowed, help);
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if ((url?.protocol !== 'redis:' && url?.protocol !== 'rediss:') || url.hostname === '') {
      this.addError(name, `must be ${allowed}`);
      return undefined;
    }
    if (!/^\/?\d{0,4}$/.test(url.pathname))
      this.addError(name, 'must have nothing but the number of a database as its path');
    this.refuseQueryAndFragment(name);
    if (!isDecodable(url.username) || !isDecodable(url.password)) {
      this.addError(name, 'must carry user and password percent-encoded');
    }
    return url;
  }

  /** A path below the base URL, with the placeholder once where there is one. */
  path(name: string, { default: fallback, help, placeholder }: WithDefault<string> & { placeholder?: string }): string {
    const allowed = 'a path that starts with one / and has no query, fragment, dot segments or unsafe characters';
    const documented = placeholder === undefined ? allowed : `${allowed}, and holds ${placeholder} once`;
    const path = this.define(name, documented, help, fallback) ?? fallback;
    const pieces = placeholder === undefined ? [path] : path.split(placeholder);
    const expected = placeholder === undefined ? 1 : 2;
    if (pieces.length !== expected) this.addError(name, `must hold ${String(placeholder)} once`);
    if (!isPlainPath(pieces.join('x'))) this.addError(name, `must be ${allowed}`);
    return path;
  }

  /** Records the definition of a variable, and returns its value. */
  private define(name: string, allowed: string, help: string, fallback?: string): string | undefined {
    this.read.push({ name, section: this.sectionTitle, default: fallback, allowed, help });
    return this.value(name);
  }

  /** Like {@link define}; the value may be in a file. Errors contain neither the path nor the content. */
  secretText(name: string, allowed: string, help: string): string | undefined {
    this.define(name, allowed, help);
    const fileName = `${name}_FILE`;
    const path = this.define(fileName, 'a path', `File that contains \`${name}\`, instead of the variable.`);
    if (path === undefined) return this.value(name);
    if (this.isSet(name)) this.addError(fileName, `must not be set where ${name} is`);
    const { content, fault } = readSecretFile(path);
    if (fault !== undefined) this.addError(fileName, fault);
    if (content !== undefined) this.secrets.set(name, content);
    return this.value(name);
  }

  private value(name: string): string | undefined {
    const value = this.secrets.get(name) ?? this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  private parseInteger(name: string, { min, max }: Bounds, help: string, fallback?: number): number | undefined {
    const allowed = `an integer from ${min} to ${max}`;
    const value = this.define(name, allowed, help, fallback === undefined ? undefined : String(fallback));
    if (value === undefined) return undefined;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    this.addError(name, `must be ${allowed}`);
    return undefined;
  }

  private parseUrl(name: string, value: string | undefined): URL | undefined {
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      this.addError(name, `must be ${HTTP_URL}`);
      return undefined;
    }
    if (url.username !== '' || url.password !== '') this.addError(name, 'must not carry credentials');
    return url;
  }

  private refuseQueryAndFragment(name: string): void {
    const value = this.value(name) ?? '';
    if (value.includes('?')) this.addError(name, 'must not carry a query');
    if (value.includes('#')) this.addError(name, 'must not carry a fragment');
  }

  private every(name: string, allowed: string, items: string[], isValid: (item: string) => boolean): readonly string[] {
    if (!items.every(isValid)) this.addError(name, `must be ${allowed}`);
    return Object.freeze(items);
  }
}
