import { isDecodable, isPrintableAscii } from '../common/text';
import type { EnvironmentReader } from './environment-reader';
import type { CredentialSettings } from './credentials.settings';
import { isHeaderName, isServiceHeader, split } from './value-formats';

/** Request headers by name. */
export type Headers = Readonly<Record<string, string>>;

const MAX_STATIC = 20;
const MAX_FORWARDED = 10;
/** Headers of clients that are meant for this service, or for its cache. */
const OF_CLIENTS =
  /^(cookie|x-api-key|prefer|cache-control|if-.*|range|forwarded|x-forwarded-.*|origin|referer|__proto__)$/i;

/**
 * Reads the headers of requests to the external system, besides those of the service and its credential.
 *
 * @param credentials their header is not among them
 */
export function readHeaders(reader: EnvironmentReader, credentials: CredentialSettings) {
  reader.section('Headers for the external system');
  const headers = readStaticHeaders(reader, credentials);
  return { headers, forwardHeaders: readForwardedHeaders(reader, credentials, headers) };
}

/**
 * Reads the headers that are sent with every request to the external system, in the format of
 * `OTEL_EXPORTER_OTLP_HEADERS`; a file may have one a line.
 *
 * @param credentials their header is not among them
 * @returns `undefined` where there are none
 */
function readStaticHeaders(reader: EnvironmentReader, credentials: CredentialSettings): Headers | undefined {
  const name = 'EXTERNAL_SHIPPING_HEADERS';
  const allowed = `up to ${MAX_STATIC} pairs of name=value, separated by commas, values percent-encoded`;
  const text = reader.secretText(name, allowed, 'Headers that are sent with every request to the external system.');
  const pairs = split(text?.replaceAll('\n', ',')).map(pairOf);
  const headers = pairs.filter((pair) => pair !== undefined);
  if (headers.length < pairs.length || pairs.length > MAX_STATIC) reader.addError(name, `must be ${allowed}`);
  if (headers.some(([, value]) => !isPrintableAscii(value))) {
    reader.addError(name, 'must have values of visible ASCII characters and spaces');
  }
  const names = headers.map(([header]) => header);
  refuseNames(reader, name, names, credentials);
  return pairs.length === 0 ? undefined : Object.freeze(Object.fromEntries(headers));
}

/**
 * Reads the names of the headers of clients that are sent on to the external system.
 *
 * @param fixed headers that are sent with every request
 */
function readForwardedHeaders(
  reader: EnvironmentReader,
  credentials: CredentialSettings,
  fixed: Headers = {},
): readonly string[] {
  const name = 'FORWARD_HEADERS';
  const allowed = `up to ${MAX_FORWARDED} names of headers, separated by commas`;
  const help = 'Headers of clients that are sent on to the external system, such as `X-Tenant-Id`.';
  const names = split(reader.text(name, { allowed, help }));
  if (names.length > MAX_FORWARDED || !names.every((header) => isHeaderName(header))) {
    reader.addError(name, `must be ${allowed}`);
  }
  refuseNames(reader, name, names, credentials);
  if (names.some((header) => OF_CLIENTS.test(header))) {
    reader.addError(name, 'must not name a header that is meant for this service');
  }
  const taken = Object.keys(fixed).map((header) => header.toLowerCase());
  if (names.some((header) => taken.includes(header.toLowerCase()))) {
    reader.addError(name, 'must not name a header of EXTERNAL_SHIPPING_HEADERS');
  }
  return Object.freeze(names);
}

/** A header, its value decoded; `undefined` where the text is no pair. */
function pairOf(text: string): readonly [name: string, value: string] | undefined {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(0, equals)).trim();
  const value = text.slice(equals + 1).trim();
  return isHeaderName(name) && isDecodable(value) ? [name, decodeURIComponent(value)] : undefined;
}

function refuseNames(
  reader: EnvironmentReader,
  setting: string,
  names: readonly string[],
  credentials: CredentialSettings,
): void {
  const taken = ['authorization', ...(credentials.kind === 'api-key' ? [credentials.header.toLowerCase()] : [])];
  if (names.some((name) => isServiceHeader(name) || taken.includes(name.toLowerCase()))) {
    reader.addError(setting, 'must not name a header that the service sets itself');
  }
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
    reader.addError(setting, 'must not name a header twice');
  }
}
