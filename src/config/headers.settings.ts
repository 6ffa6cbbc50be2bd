import type { EnvironmentReader } from './environment-reader';
import type { CredentialSettings } from './credentials.settings';
import { isHeaderName, isServiceHeader, split } from './value-formats';

const MAX_FORWARDED = 10;
/** Headers of clients that are meant for this service, or for its cache. */
const OF_CLIENTS =
  /^(cookie|x-api-key|prefer|cache-control|if-.*|range|forwarded|x-forwarded-.*|origin|referer|__proto__)$/i;

/**
 * Reads the names of the headers of clients that are sent on to the external system.
 */
export function readForwardedHeaders(reader: EnvironmentReader, credentials: CredentialSettings): readonly string[] {
  reader.section('Headers for the external system');
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
  return Object.freeze(names);
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
