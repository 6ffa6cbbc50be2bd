import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { succeeds } from '../common/errors';
import { isVisibleAscii } from '../common/text';
import { readSecretFile, type Secret } from './secret-file';

/** The format of a variable. Its description completes the sentence "… must be …". */
export type Format<T> = z.ZodType<T, string>;

const PROXY_RANGES = ['loopback', 'linklocal', 'uniquelocal'] as const;
/** Headers that belong to the connection, or that the service sets itself: no setting may name them. */
const SERVICE_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|upgrade|te|trailer|keep-alive|expect|proxy-.*|accept|accept-encoding|user-agent|x-request-id|traceparent|tracestate|baggage)$/i;
/** Headers that clients send for this service, not for the external system: `FORWARD_HEADERS` must not name them. */
const CLIENT_HEADERS =
  /^(authorization|cookie|x-api-key|prefer|cache-control|if-.*|range|forwarded|x-forwarded-.*|origin|referer|__proto__)$/i;

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;
const PLAIN_PATH = /^(?!\/\/)(\/(?!(\.|%2e){1,2}(\/|$))[\w.~!$&'()*+,;=:@%-]*)+$/i;

const string = z.string();
export const text = string.describe('any text');
export const filledText = string.regex(/\S/).describe('any text that is not blank');

/** Labels of letters, digits and inner hyphens. The last is no number: `10.0.0` would be taken for an address. */
const HOST_NAME = /^([a-z\d]([a-z\d-]*[a-z\d])?\.)*(?!\d+$)[a-z\d]([a-z\d-]*[a-z\d])?$/i;

export const host = string
  .refine((value) => isIP(value) !== 0 || HOST_NAME.test(value))
  .describe('an address or a host name, without a port');

/** Hosts of URLs. The parser of URLs accepts `*`, `$` and braces, too, as in `https://${HOST}`. */
const URL_HOST = /^(\[[\da-f:.]+\]|[\w.-]+)$/i;

export const integer = (min: number, max: number): Format<number> =>
  string
    .regex(/^\d{1,15}$/)
    .pipe(z.coerce.number<string>().min(min).max(max))
    .describe(`an integer from ${min} to ${max}`);

export const choice = <T extends string>(...choices: readonly [T, ...T[]]): Format<T> =>
  z.enum(choices).describe(`one of ${choices.join(', ')}`);

export const pattern: Format<Pick<RegExp, 'source' | 'test'>> = string
  // The text is compiled alone before it is put into a group: `a)(b` is invalid, but inside the group it would compile.
  .refine((source) => succeeds(() => new RegExp(source, 'u')))
  .transform((source) => new RegExp(`^(?:${source})$`, 'u'))
  .describe('a regular expression');

export const token = string.refine(isVisibleAscii).describe('visible ASCII characters without spaces');

const httpUrl = z
  .url({ protocol: /^https?$/, hostname: URL_HOST })
  .transform((url) => new URL(url))
  .refine((url) => url.username === '' && url.password === '');

export const baseUrl = string
  .regex(/^[^?#]*$/)
  .pipe(httpUrl)
  .describe('an absolute http or https URL without credentials, query and fragment');

export const secureUrl = httpUrl
  .refine(({ protocol, hostname }) => protocol === 'https:' || LOOPBACK.test(hostname))
  .describe('an absolute https URL without credentials; http on loopback only');

const redisNode = z
  .url({ protocol: /^rediss?$/, hostname: URL_HOST })
  .regex(/^\w+:\/\/[^/?#]+(\/\d{0,4})?$/)
  .transform((url) => new URL(url))
  .refine((url) => succeeds(() => decodeURIComponent(url.username + url.password)));

/** The URL of one Redis, or the URLs of several nodes of one Redis Cluster (D75). */
export const redisUrls = string
  .transform(redisNodesOf)
  .pipe(z.array(redisNode))
  // A Redis Cluster has no database but 0.
  .refine((nodes) => nodes.length === 1 || nodes.every(({ pathname }) => /^(\/0?)?$/.test(pathname)))
  .describe(
    'a URL such as redis://host:6379 or rediss://user:password@host:6380/0, or the nodes of a Redis Cluster such as ' +
      'redis://a:6379,b:6379 (Sentinel is not supported: give the address of the primary)',
  );

/** The URL of each node: `redis://user:password@a:1,b:2` has the scheme and the user once for both. */
function redisNodesOf(list: string): string[] {
  const [origin = ''] = /^\w+:\/\/(?:[^/?#]*@)?/.exec(list) ?? [];
  const hosts = list.slice(origin.length).split(',');
  return hosts.map((host) => origin + host.trim());
}

export const path = string
  .regex(PLAIN_PATH)
  .describe('a path such as /shippings, without query, fragment, dot segments and unsafe characters');

export const basePath = string
  .regex(/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/)
  .describe('a path such as /shipping of letters, digits, ., _, ~ and -, without a slash at its end and dot segments');

export const idPath = string
  .refine((template) => template.split('{id}').length === 2 && PLAIN_PATH.test(template.replace('{id}', 'x')))
  .describe(`${String(path.description)}, with {id} once`);

/** A token of HTTP (RFC 9110), which names of headers and of authentication schemes have to be. */
const word = string.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/);

export const headerName = word
  .refine((name) => !SERVICE_HEADERS.test(name))
  .describe('a header name that the service does not set itself');

export const authScheme = word.describe('one word such as Basic or Token');

const sentHeader = headerName.refine((name) => !CLIENT_HEADERS.test(name));

export const headerNames = listOf(sentHeader).describe(
  'names of headers, separated by commas, that are not meant for this service or set by it',
);

// The header stands after the last colon of an item, because the name of a claim may be a URL, with colons of its own.
export const claimHeaders = listOf(string.regex(/.:[^:]+$/))
  .transform((list) => list.map((item) => ({ claim: item.replace(/:[^:]*$/, ''), header: item.replace(/^.*:/, '') })))
  .pipe(z.array(z.object({ claim: string, header: sentHeader })))
  .describe('claims with a header each, such as tenant:X-Tenant-Id, separated by commas');

// The characters are those of RFC 6749. A scope of commas alone is refused, because it comes from a text such as
// `$A,$B` with two unset variables: no token would have such a scope.
export const scopes = listOf(string.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/).regex(/[^,]/), ' ').describe(
  'scopes of visible ASCII characters without quotes, separated by spaces',
);

export const digests = listOf(string.toLowerCase().regex(/^[0-9a-f]{64}$/))
  .transform((list) => list.map((digest) => Buffer.from(digest, 'hex')))
  .describe('SHA-256 digests of 64 hexadecimal digits, separated by commas');

export const networks = listOf(z.union([z.enum(PROXY_RANGES), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
  .refine((list) => list.every((network) => !network.endsWith('/0')))
  .describe(`addresses, networks such as 10.0.0.0/8 or ${PROXY_RANGES.join(', ')}, separated by commas`);

const origin = z
  .url({ protocol: /^https?$/, hostname: URL_HOST, abort: true })
  .refine((text) => new URL(text).origin === text);

export const origins = listOf(origin).describe(
  'origins such as https://example.com, without * and a path, separated by commas',
);

export const fileOf = <T>(format: Format<T>): Format<Secret<T>> =>
  string
    .transform((file) => ({ file, value: readSecretFile(file).text }))
    .pipe(z.object({ file: string, value: format }))
    .describe(`the path of a file with ${String(format.description)}`);

export const certificates = pemFile((pem) => new X509Certificate(pem), 'PEM certificates');
export const key = pemFile((pem) => createSecureContext({ key: pem }), 'a PEM key without a passphrase');

function pemFile(use: (pem: string) => unknown, content: string): Format<string> {
  const format = fileOf(string.refine((pem) => succeeds(() => use(pem))).describe(content));
  return format.transform(({ value }) => value).describe(String(format.description));
}

/**
 * A list, in which blank items are left out. A text with separators alone is refused, because it comes from a text such
 * as `$A,$B` with two unset variables, and an empty list would switch off what the setting was given for (D76).
 */
function listOf(item: z.ZodType<string, string>, separator: string | RegExp = /[,\n]/) {
  const items = (list: string): string[] => list.split(separator).map((part) => part.trim());
  return string
    .refine((list) => list === '' || items(list).some(Boolean))
    .transform((list) => items(list).filter(Boolean))
    .pipe(z.array(item));
}
