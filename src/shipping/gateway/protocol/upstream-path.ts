import { LoggedError } from '../../../common/errors';
import { wrongShape } from '../../../resilience/upstream-failure';
import type { QueryValue, UpstreamTarget } from './shipping-protocol';

/** The characters that RFC 3986 allows in a path, and placeholders. */
const PATH = /^(?:[\w.~!$&'()*+,;=:@%/-]|\{\w{1,32}\})*$/;
const PLACEHOLDER = /\{(\w+)\}/g;
const NOT_OF_A_QUERY = /#|[^\x21-\x7e]/;
/** A segment `.` or `..`, also an encoded one, which a server on the way may decode, once or several times (D9). */
const DOT_SEGMENT =
  /(?:^|\/|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?=$|[/;]|%(?:25)*(?:2f|5c|3b))/i; // prettier-ignore

/**
 * Whether an identifier would change the path in which it stands (D9): `encodeURIComponent` leaves dots as they are.
 */
export function isDotSegment(value: unknown): boolean {
  return value === '.' || value === '..';
}

/**
 * Path and query of a target, below the base URL. Values are encoded, and a target that could lead to another host or
 * path is refused (D9).
 *
 * @throws {LoggedError} whose message completes the sentence "the protocol sent …"
 * @throws {UpstreamFailure} where `next` is not below the base URL
 */
export function upstreamPathOf({ path, id, pathValues, query = {}, next }: UpstreamTarget, baseUrl: URL): string {
  if (!path.startsWith('/')) throw new LoggedError('a path that does not start with "/"');
  if (!PATH.test(path)) throw new LoggedError('a path with a character that a path cannot have, such as "?"');
  if (DOT_SEGMENT.test(path)) throw new LoggedError('a path with a dot segment');
  const filledPath = (): string => fill(path, { id, ...pathValues });
  if (next !== undefined) return pathOfNext(next, filledPath, baseUrl);
  const filled = filledPath();
  let pairs = '';
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (Array.isArray(value)) for (const each of value as readonly QueryValue[]) pairs += pairOf(name, each);
    else pairs += pairOf(name, value as QueryValue);
  }
  if (NOT_OF_A_QUERY.test(pairs)) throw new LoggedError('a query with a name that a URL cannot have');
  return pairs === '' ? filled : `${filled}?${pairs.slice(1)}`;
}

/** The value is encoded; the name is not, so that a system may have names such as `filter[status]`. */
function pairOf(name: string, value: QueryValue): string {
  if (value === undefined || value === null) return '';
  return `&${name}=${encodeURIComponent(value instanceof Date ? value.toISOString() : value)}`;
}

function fill(path: string, values: Readonly<Record<string, string | undefined>>): string {
  return path.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
    if (value === '') throw new LoggedError(`a path whose placeholder {${name}} has no value`);
    if (isDotSegment(value)) throw new LoggedError(`a path whose placeholder {${name}} has a dot segment as its value`);
    return encodeURIComponent(value);
  });
}

/** The beginning of a URL that does not depend on the path of its base: a scheme or a slash. */
const OF_ANY_PATH = /^\s*(?:[a-z][a-z\d+.-]*:|[/\\])/i;

/**
 * Path and query of the URL of a next page. Its host and scheme are not used, so that a response cannot lead the
 * service to another host (D9).
 */
function pathOfNext(next: unknown, filledPath: () => string, baseUrl: URL): string {
  const basePath = baseUrl.pathname.replace(/\/+$/, '');
  const text = typeof next === 'string' ? next : 'about:blank';
  const url = URL.parse(text, baseUrl.origin + (OF_ANY_PATH.test(text) ? '' : basePath + filledPath()));
  const isBelow = url?.hostname === baseUrl.hostname && url.pathname.startsWith(`${basePath}/`);
  if (!isBelow || DOT_SEGMENT.test(url.pathname)) throw wrongShape('next page: no URL below the base URL');
  return url.pathname.slice(basePath.length) + url.search;
}
