import * as fc from 'fast-check';
import { join } from 'node:path';
import { anyText } from '../../test/support/any-text';
import { useFolder } from '../../test/support/folder';
import { thrownBy } from '../../test/support/units';
import { authority, authorityFile, clientCertificates } from '../../test/support/upstream/certificates';
import { readSettings, SettingsError } from './settings';
import { TABLE, type Variable } from './settings.schema';

type Env = Readonly<Record<string, string>>;

const DIGEST = 'ab'.repeat(32);
const TOKENS = { AUTH_ISSUER: 'https://i.example', AUTH_AUDIENCE: 'a', AUTH_JWKS_URL: 'https://i.example/keys?p=1' };
const CLIENT = { OAUTH_CLIENT_ID: 'client', OAUTH_CLIENT_SECRET: 's3cret' };
const OAUTH = { OAUTH_TOKEN_URL: 'https://i.example/token', ...CLIENT };
const { client, 'next-client': nextClient } = clientCertificates;

const { folder, file: written } = useFolder();
let count = 0;
const file = (content: string): string => written(`zqxjk-${(count += 1)}`, content);

/** Adds the prefix of the variables of the external system, which rows leave out. */
function full(env: Env): Env {
  const isShort = (name: string): boolean => !(name in TABLE) && `EXTERNAL_SHIPPING_${name}` in TABLE;
  const nameOf = (name: string): string => (isShort(name) ? `EXTERNAL_SHIPPING_${name}` : name);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [nameOf(name), value]));
}

/**
 * The faults of an environment, without the prefix of the external system. Where a fault only says what the table of
 * settings allows, it is the name of the variable alone, so that rows stay short.
 */
function faultsOf(env: Env): string[] {
  const error = thrownBy(() => readSettings(full(env)));
  expect(error).toBeInstanceOf(SettingsError);
  return (error as SettingsError).errors.map((fault) => {
    const [name = '', rule] = fault.split(' must be ');
    const allowed = name in TABLE && TABLE[name as Variable].allowed;
    const isPlain = typeof allowed === 'string' && rule?.startsWith(allowed) === true;
    return (isPlain ? name + rule.slice(allowed.length) : fault).replaceAll('EXTERNAL_SHIPPING_', '');
  });
}

const TOKEN_FILE = file('\ufefft0ken\r\n');
const CERT_FILE = file(client.cert);
const KEY_FILE = file(client.key);

const TWO_KEYS = [DIGEST, DIGEST].map((digest) => Buffer.from(digest, 'hex'));
/** Names of headers that may be forwarded. */
const NAMES = ['Accept-Language', "!#$%&'*+-.^_`|~9"];
const FIRST_NODE: unknown = expect.objectContaining({ host: 'a:1', password: 'a,b' });
const SECOND_NODE: unknown = expect.objectContaining({ host: '[::1]:2' });
const THREE_NODES = ['a', 'b', 'c:7'].map((host) => new URL(`redis://${host}`));
const UNSET = { host: '0.0.0.0', logLevel: 'info' };
const ANY_PORTS = { port: 0, managementPort: 0 };
const NO_PORT = { managementPort: undefined, warnings: [] };
const TOKEN_OF_SIGNS = { value: 't~!-._/+=', file: undefined };
const CERTIFICATE = { CLIENT_CERT_FILE: CERT_FILE };
const SECRET_FILE = { OAUTH_CLIENT_SECRET_FILE: TOKEN_FILE };
const LINKS = { MANAGEMENT_SERVICE_HOST: 'a', MANAGEMENT_SERVICE_PORT: '80' };
const WITHOUT_TOKENS = Object.keys(TOKENS).map((name) => `${name} must be given where AUTH_SCOPE is`);
const external = (expected: object): object => ({ external: expected });
const credentials = (expected: object): object => external({ credentials: expected });
const token = (expected: object): object => ({ access: { token: expected } });
const SANDBOX = 'NODE_ENV is neither production, development nor test: the sandbox is used, with invented records';
const noSetting = (name: string, nearest: string): string => `${name} is no setting; the nearest is ${nearest}`;
const warning = (name: string, nearest: string): object => ({ warnings: [noSetting(name, nearest)] });
const forEach = (values: readonly string[], row: (value: string) => [Env, object]): [Env, object][] => values.map(row);

// Each row: [environment, a part of the settings that are read from it]
const READ: readonly [Env, object][] = [
  [{}, { host: '0.0.0.0', port: 3000, managementPort: undefined, trustedProxies: [], corsOrigins: [] }],
  [{}, { publicBasePath: '' }],
  [{}, { maxActiveRequests: 2048, servesDocs: true, logLevel: 'info', logFormat: 'auto' }],
  [{}, { redisUrls: undefined, rateLimit: undefined, warnings: [] }],
  [{}, { cache: { ttlMs: 0, staleIfErrorMs: 0, maxBytes: 67_108_864 }, access: { token: undefined, apiKeys: [] } }],
  [{}, { sandbox: { port: 0, records: 2000, variant: 'extended' } }],
  [{}, external({ baseUrl: undefined, credentials: { kind: 'none' }, tls: { ca: undefined }, forwardHeaders: [] })],
  [{}, external({ timeoutMs: 5000, attemptTimeoutMs: 2000, maxAttempts: 3, maxConcurrent: 64, maxQueue: 1024 })],
  [{}, external({ breakerOpenMs: 5000, maxResponseBytes: 5_242_880 })],
  [{}, external({ paths: { single: '/shippings/single', byId: '/shippings/by-id/{id}' } })],
  [{}, external({ paths: { details: '/shippings/details', paged: '/shippings/paged' } })],
  [{ PORT: '' }, { port: 3000 }],
  [{ HOST: '', LOG_LEVEL: '' }, UNSET],
  [{ PORT: ' 007 ' }, { port: 7 }],
  [{ HOST: ' ::1 ' }, { host: '::1' }],
  ...forEach(['localhost', 'fe80::1%eth0', 'a-1.b', 'a--b', '1a', '::ffff:10.0.0.1'], (host) => [
    { HOST: host },
    { host },
  ]),
  [{ PORT: '0', MANAGEMENT_PORT: '0' }, ANY_PORTS],
  [{ TRUST_PROXY: '::1, loopback ,,10.0.0.0/8' }, { trustedProxies: ['::1', 'loopback', '10.0.0.0/8'] }],
  [{ TRUST_PROXY: 'fe80::/10' }, { trustedProxies: ['fe80::/10'] }],
  [{ CORS_ORIGINS: ' https://a.example , http://b:4200' }, { corsOrigins: ['https://a.example', 'http://b:4200'] }],
  ...forEach(['/shipping', '/a/b.c/d_e-f~1', '/...'], (path) => [{ PUBLIC_BASE_PATH: path }, { publicBasePath: path }]),
  [{ DOCS: 'off' }, { servesDocs: false }],
  [{ LOG_FORMAT: 'pretty' }, { logFormat: 'pretty' }],
  [{ SANDBOX_VARIANT: 'basic' }, { sandbox: { variant: 'basic' } }],
  [{ BASE_URL: 'HTTP://HOST:8080/Base/' }, external({ baseUrl: new URL('http://host:8080/Base/') })],
  [{ BASE_URL: 'http://host', NODE_ENV: 'production' }, external({ baseUrl: new URL('http://host') })],
  [{ SINGLE_PATH: '/', BY_ID_PATH: '/a/{id}.json' }, external({ paths: { single: '/', byId: '/a/{id}.json' } })],
  [{ DETAILS_PATH: '/a-b_c.d~e/%7Bx/' }, external({ paths: { details: '/a-b_c.d~e/%7Bx/' } })],
  [{ FORWARD_HEADERS: `X-Tenant-Id, ${NAMES.join()}` }, external({ forwardHeaders: ['X-Tenant-Id', ...NAMES] })],
  [{ TOKEN: 't~!-._/+=' }, credentials({ kind: 'token', scheme: 'Bearer', secret: TOKEN_OF_SIGNS })],
  [{ TOKEN: '', TOKEN_FILE }, credentials({ kind: 'token', secret: { value: 't0ken', file: TOKEN_FILE } })],
  ...forEach(['Basic', 'Token', 'ShippoToken', 'GenieKey', 'a-b'], (scheme) => {
    return [{ TOKEN: 'dTpw', TOKEN_SCHEME: scheme }, credentials({ scheme })];
  }),
  [{ TOKEN_FILE, TOKEN_SCHEME: 'Token' }, credentials({ scheme: 'Token', secret: { value: 't0ken' } })],
  [{ API_KEY: 'k' }, credentials({ kind: 'api-key', header: 'X-API-Key', secret: { value: 'k' } })],
  [{ API_KEY_FILE: TOKEN_FILE, API_KEY_HEADER: 'Ocp' }, credentials({ header: 'Ocp', secret: { value: 't0ken' } })],
  [OAUTH, credentials({ kind: 'oauth', tokenUrl: new URL('https://i.example/token') })],
  [OAUTH, credentials({ clientId: 'client', clientSecret: { value: 's3cret' } })],
  [OAUTH, credentials({ clientAuth: 'basic', scope: '', audience: '' })],
  [{ ...OAUTH, OAUTH_CLIENT_AUTH: 'post', OAUTH_SCOPE: ' a  b ' }, credentials({ clientAuth: 'post', scope: 'a b' })],
  [{ ...OAUTH, OAUTH_AUDIENCE: 'an api' }, credentials({ audience: 'an api' })],
  [{ CA_FILE: authorityFile }, external({ tls: { ca: authority.trim() } })],
  [{ ...CERTIFICATE, CLIENT_KEY_FILE: KEY_FILE }, external({ tls: { cert: client.cert.trim() } })],
  [{ ...CERTIFICATE, CLIENT_KEY_FILE: KEY_FILE }, external({ tls: { key: client.key.trim() } })],
  [{ REDIS_URL: 'rediss://u:p%20w@host:1/3' }, { redisUrls: [new URL('rediss://u:p%20w@host:1/3')] }],
  ...forEach(['[::1]:2', ' [::1]:2/0'], (second) => {
    return [{ REDIS_URL: `rediss://u:a,b@a:1,${second}` }, { redisUrls: [FIRST_NODE, SECOND_NODE] }];
  }),
  [{ REDIS_URL: 'redis://a,b,c:7' }, { redisUrls: THREE_NODES }],
  [{ REDIS_URL: 'redis://my_redis' }, { redisUrls: [new URL('redis://my_redis')] }],
  // A secret may hold any characters.
  ...forEach(['"', '"a', "a'", `"a'`], (value) => [{ TOKEN: value }, credentials({ secret: { value } })]),
  ...forEach(['prod', 'Production', 'staging'], (name) => [{ NODE_ENV: name }, { warnings: [SANDBOX] }]),
  ...forEach(['', ' test ', 'development', 'test'], (name) => [{ NODE_ENV: name }, { warnings: [] }]),
  [{ NODE_ENV: 'prod', BASE_URL: 'http://host' }, { warnings: [] }],
  [{ TOKEN: 'a${b}c' }, credentials({ secret: { value: 'a${b}c' } })],
  [{ SHIPPING_ID_PATTERN: 'a{2}|\\${2}' }, {}],
  [{ REDIS_URL_FILE: file('redis://:word@[::1]\n') }, { redisUrls: [new URL('redis://:word@[::1]')] }],
  [TOKENS, token({ issuer: 'https://i.example', audience: 'a', scopes: [] })],
  [TOKENS, token({ jwksUrl: new URL('https://i.example/keys?p=1') })],
  [{ ...TOKENS, AUTH_SCOPE: ' a  b:c ' }, token({ scopes: ['a', 'b:c'] })],
  ...forEach(['http://localhost:1/', 'http://127.9.9.9/', 'http://[::1]:1/'], (url) => {
    return [{ ...TOKENS, AUTH_JWKS_URL: url }, token({ jwksUrl: new URL(url) })];
  }),
  [{ AUTH_API_KEYS_SHA256: `${DIGEST}, ${DIGEST.toUpperCase()}` }, { access: { apiKeys: TWO_KEYS } }],
  [{ AUTH_API_KEYS_SHA256_FILE: file(`${DIGEST}\r\n${DIGEST}\n`) }, { access: { apiKeys: TWO_KEYS } }],
  [{ RATE_LIMIT_MAX: '5' }, { rateLimit: { max: 5, windowMs: 60_000 } }],
  [{ RATE_LIMIT_MAX: '5', RATE_LIMIT_WINDOW_MS: '1000' }, { rateLimit: { max: 5, windowMs: 1000 } }],
  // Variables that Kubernetes adds for a service are passed over.
  [{ MANAGEMENT_PORT: 'tcp://a:80', ...LINKS }, NO_PORT],
  [{ MANAGEMENT_SERVICE_HOST: 'a', MANAGEMENT_PORT_80_TCP_ADDR: 'a' }, NO_PORT],
  [{ SANDBOX_PORT: 'udp://10.0.0.1:80' }, { sandbox: { port: 0 }, warnings: [] }],
  [{ AUTH_API_SERVICE_HOST: 'a', AUTH_API_PORT: 'tcp://a:1', AUTH_API_PORT_1_TCP: 'tcp://a:1' }, { warnings: [] }],
  [{ EXTERNAL_SHIPPING_TOKN: 'zqxjk' }, warning('EXTERNAL_SHIPPING_TOKN', 'EXTERNAL_SHIPPING_TOKEN')],
  [{ CACHE_MAX_ENTRIES: '5', CACHE_OLD: ' ' }, warning('CACHE_MAX_ENTRIES', 'CACHE_MAX_BYTES')],
  [{ SANDBOX_PORT_1_TCP: 'x', OTHER_CACHE_TTL: '1' }, warning('SANDBOX_PORT_1_TCP', 'SANDBOX_PORT')],
];

/** Rows of one variable: each value is refused by the rule of the table. */
const each = (name: string, ...values: string[]): [Env, string[]][] => beside({}, name, ...values);
/** The same where other variables are set, too. */
const beside = (others: Env, name: string, ...values: string[]): [Env, string[]][] =>
  values.map((value) => [{ ...others, [name]: value }, [name]]);

const ONLY_ONE = 'must not be given: one credential only';
const OF_OAUTH = 'must be given where OAUTH_CLIENT_SECRET_FILE, OAUTH_SCOPE is';
const LISTS = ['TRUST_PROXY', 'CORS_ORIGINS', 'FORWARD_HEADERS'];
const ACCESS_LISTS = ['FORWARD_CLAIMS', 'AUTH_SCOPE', 'AUTH_API_KEYS_SHA256'];
const FORWARDED = ['FORWARD_HEADERS', 'FORWARD_CLAIMS', 'AUTH_SCOPE'];
const allOf = (names: readonly string[], value: string): Env => Object.fromEntries(names.map((name) => [name, value]));
const URLS = [
  ...['http://i.example/keys', 'http://10.0.0.1/keys', 'http://127.0.0.1.example/', 'http://localhost.example/'],
  ...['file:///keys', 'https://u:p@host/keys', '/keys'],
];
/** What a variable may name instead of a usable file, and how the fault ends. */
const NO_FILES: readonly [path: string, why: string][] = [
  [join(folder, 'missing'), ': ENOENT'],
  [join(TOKEN_FILE, 'below'), ': ENOTDIR'],
  ['x'.repeat(300), ': ENAMETOOLONG'],
  [folder, ': a folder'],
  ['/dev/null', ': empty'],
  [file(' \n'), ': empty'],
  [file('zqxjk zqxjk'), ''],
];
const noFile = (name: string): [Env, string[]][] =>
  NO_FILES.map(([path, why]) => [{ [name]: path }, [`${name}${why}`]]);
const TLS_FILES = ['CA_FILE', 'CLIENT_CERT_FILE', 'CLIENT_KEY_FILE'];
const QUOTED = ' is within quotes, which are no part of a value';
const startingWith = (name: string): string => expect.stringMatching(`^${name} is no setting`) as string;

// Each row: [environment, its faults as `faultsOf` returns them]
const REFUSED: readonly (readonly [Env, readonly string[]])[] = [
  ...each('PORT', '-1', '65536', '1.5', '1.0', '+5', '0x10', '1e1', '5 0', '5s', '٥', 'NaN', '9'.repeat(400)),
  ...each('HOST', 'bad host!', '0.0.0.0/0', 'http://host', '127.0.0.1:3000', 'localhost:80', '[::1]', '[::1]:80'),
  ...each('HOST', 'x86_64-conda-linux-gnu', '*', '10.0.0', '256.1.1.1', '-host', 'host-', 'a..b', 'fe80::1%', '$(IP)'),
  ...each('PUBLIC_BASE_PATH', '/', 'shipping', '/a/', '//a', '/a//b', '/a?b', '/a#b', '/.', '/a/../b', '/%2e', '/a"b'),
  ...each('PUBLIC_BASE_PATH', '/a b', '/a,b', 'http://h/a'),
  ...each('LOG_LEVEL', ' ', 'loud', 'Info', 'info,debug', '__proto__'),
  ...each('SANDBOX_RECORDS', '0', '100001'),
  ...each('SHIPPING_ID_PATTERN', '[', 'a)(b', '(?<a', '\\'),
  ...each('TRUST_PROXY', '0.0.0.0/0', '::/0', '::ffff:10.0.0.0/0', '10.0.0.0/000', 'fe80::1%eth0/0', '1', 'true'),
  ...each('TRUST_PROXY', '::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/255.0.0.0', 'Loopback', '10.0.0', '*'),
  ...each('TRUST_PROXY', '10.0.0.0/33'),
  ...each('CORS_ORIGINS', '*', 'null', 'a.example', 'https://a.example/', 'https://a.example:443'),
  ...each('CORS_ORIGINS', 'https://*.example', 'https://*', 'https://{a}.example', 'https://a b', 'https://${A}'),
  ...each('CORS_ORIGINS', 'ftp://a.example', 'https://A.example', 'https://u:p@a.example', 'https://ok.example,*'),
  ...each('BASE_URL', 'host', '/path', '//host', 'http://', 'http://host:99999', 'ftp://host', 'file:///etc'),
  ...each('BASE_URL', 'javascript:alert(1)', 'http://user@host', 'http://:word@host', 'http://host?a=b'),
  ...each('BASE_URL', 'http://host/?', 'http://host#', 'https://*.example', 'https://$host', 'https://${A}/v2'),
  ...each('PAGED_PATH', 'a', 'http://evil.example/a', '//evil.example/a', '/a?b', '/a#b', '/a/../b', '/./a'),
  ...each('PAGED_PATH', '/.%2E', '/a b', '/a\\b', '/\\evil.example', '/é', '/{id}', '/a"b', '/a<b>', '/a/%2e%2E/b'),
  ...each('BY_ID_PATH', '/a', '/{id}/{id}', '/{ID}', '/%7Bid%7D', '/{id}/../a', '/{id}?a', '/{id}/{other}', '{id}'),
  ...each('BY_ID_PATH', '//{id}'),
  ...each('TOKEN', 'two words', 'line\r\nX-Evil: 1', 'caf\u00e9', 'a\u0000b', 'tab\there'),
  ...each('FORWARD_HEADERS', 'X A', 'X:A', 'é'),
  ...each('FORWARD_HEADERS', 'Host', 'connection', 'Content-Length', 'TE', 'Proxy-Authorization', 'Accept'),
  ...each('FORWARD_HEADERS', 'AUTHORIZATION', 'X-Request-Id', 'traceparent', 'Cookie', 'x-api-key', 'Prefer'),
  ...each('FORWARD_HEADERS', 'If-None-Match', 'X-Forwarded-For', 'Origin', 'User-Agent', '__proto__'),
  ...each('REDIS_URL', 'host:6379', 'http://host', 'redis://', 'redis:host', 'redis://host:99999', 'sentinel://a'),
  ...each('REDIS_URL', 'redis://host/name', 'redis://host/1/2', 'redis://host?family=6', 'redis://host#a'),
  ...each('REDIS_URL', 'redis://a,', 'redis://a,,b', 'redis://a/1,b', 'redis://a,b/1', 'redis://a,redis://b'),
  ...each('REDIS_URL', 'redis://a,rediss://b', 'redis://u:p@a,redis://u:p@b', 'redis://:%zz@host'),
  ...each('REDIS_URL', 'redis://*:6379', 'redis://$host', 'redis://{a}', 'redis://a,redis://*'),
  ...each('REDIS_URL', 'redis+sentinel://host', 'rediss+sentinel://a,b', 'redis://a,sentinel://b'),
  ...each('AUTH_API_KEYS_SHA256', `${DIGEST}0`, DIGEST.slice(1), `${DIGEST};${DIGEST}`, `sha256:${DIGEST}`),
  ...each('AUTH_API_KEYS_SHA256', 'g'.repeat(64), '  '),
  ...beside(TOKENS, 'AUTH_JWKS_URL', ...URLS),
  ...beside(OAUTH, 'OAUTH_TOKEN_URL', ...URLS),
  ...beside(TOKENS, 'FORWARD_CLAIMS', 'tenant', ':X-A', 'tenant:', 'tenant:Authorization', 'tenant:X A'),
  ...beside(TOKENS, 'AUTH_SCOPE', 'a"b', 'a\tb', 'a\\b'),
  ...beside({ API_KEY: 'k' }, 'API_KEY_HEADER', 'Host', 'X-Request-ID', 'content-length', 'X Key', 'X-Key:'),
  ...beside({ API_KEY: 'k' }, 'API_KEY_HEADER', 'Schlüssel', 'x'.repeat(65)),
  ...beside({ TOKEN: 't' }, 'TOKEN_SCHEME', 'Basic x', 'Basic:', 'Bäsic', '"Basic', 'x'.repeat(65)),
  ...beside({ RATE_LIMIT_MAX: '1' }, 'RATE_LIMIT_WINDOW_MS', '999', '86400001', '1e3'),
  // D76 Lists that were given and have no item are refused.
  ...[',', ',,', ' , ', '\n,'].flatMap((list): [Env, string[]][] => [
    [allOf(LISTS, list), LISTS],
    [{ ...TOKENS, ...allOf(ACCESS_LISTS, list) }, ACCESS_LISTS],
    [{ ...OAUTH, OAUTH_SCOPE: list }, ['OAUTH_SCOPE']],
    [{ AUTH_API_KEYS_SHA256_FILE: file(list) }, ['AUTH_API_KEYS_SHA256_FILE']],
  ]),
  [{ ...TOKENS, FORWARD_HEADERS: ' ', FORWARD_CLAIMS: '\t', AUTH_SCOPE: ' ' }, FORWARDED],
  // Variables that are valid alone, but not together
  [{ RATE_LIMIT_WINDOW_MS: '60000' }, ['RATE_LIMIT_MAX must be given where RATE_LIMIT_WINDOW_MS is']],
  [{ TOKEN_SCHEME: 'Basic' }, ['TOKEN must be given where TOKEN_SCHEME is']],
  [{ API_KEY: 'k', TOKEN_SCHEME: 'B' }, [`API_KEY ${ONLY_ONE}`, 'TOKEN must be given where TOKEN_SCHEME is']],
  [{ NODE_ENV: 'production', BASE_URL: '' }, ['BASE_URL must be given where NODE_ENV is production']],
  [{ PORT: '9090', MANAGEMENT_PORT: '9090' }, ['MANAGEMENT_PORT must differ from PORT']],
  [{ MANAGEMENT_PORT: '3000' }, ['MANAGEMENT_PORT must differ from PORT']],
  [{ TOKEN: 't', API_KEY: 'k' }, [`API_KEY ${ONLY_ONE}`]],
  [{ TOKEN: 't', API_KEY_HEADER: 'X-Other' }, [`API_KEY_HEADER ${ONLY_ONE}`]],
  [{ API_KEY: 'k', OAUTH_SCOPE: 's' }, [`OAUTH_SCOPE ${ONLY_ONE}`]],
  [{ API_KEY_HEADER: 'X-Other' }, ['API_KEY must be given where API_KEY_HEADER is']],
  [{ OAUTH_SCOPE: 's', ...SECRET_FILE }, [`OAUTH_TOKEN_URL ${OF_OAUTH}`, `OAUTH_CLIENT_ID ${OF_OAUTH}`]],
  ...Object.keys(TOKENS).flatMap((name) => beside(TOKENS, name, ' ')),
  [{ AUTH_SCOPE: 'read', AUTH_API_KEYS_SHA256: DIGEST }, WITHOUT_TOKENS],
  [{ FORWARD_CLAIMS: 'a:X-A' }, ['AUTH_ISSUER must be given where FORWARD_CLAIMS is']],
  // Values whose quotes nothing has removed
  ...['"t"', "'t'", '`t`', '""', ' "a"b" '].map((value): [Env, string[]] => [{ TOKEN: value }, ['TOKEN' + QUOTED]]),
  [{ DOCS: '"off"', AUTH_API_KEYS_SHA256: `'${DIGEST}'` }, ['DOCS' + QUOTED, 'AUTH_API_KEYS_SHA256' + QUOTED]],
  // Variables that name a file
  [{ TOKEN: 't', TOKEN_FILE }, ['TOKEN_FILE must not be given where TOKEN is']],
  ...['TOKEN_FILE', 'REDIS_URL_FILE', 'CA_FILE'].flatMap(noFile),
  ...each('REDIS_URL_FILE', file('redis://:zqxjk@host?a=b')),
  [CERTIFICATE, ['CLIENT_KEY_FILE must be given where CLIENT_CERT_FILE is']],
  [{ CLIENT_KEY_FILE: KEY_FILE }, ['CLIENT_CERT_FILE must be given where CLIENT_KEY_FILE is']],
  [{ ...CERTIFICATE, CLIENT_KEY_FILE: file(nextClient.key) }, ['CLIENT_KEY_FILE must be the key of CLIENT_CERT_FILE']],
  [{ CA_FILE: KEY_FILE, CLIENT_CERT_FILE: KEY_FILE, CLIENT_KEY_FILE: CERT_FILE }, TLS_FILES],
  // Variables that are no settings, with a prefix of settings that protect the service
  [{ AUTH_ISSUR: 'zqxjk' }, [noSetting('AUTH_ISSUR', 'AUTH_ISSUER')]],
  [{ AUTH_ISSUR: 'tcp://zqxjk' }, [noSetting('AUTH_ISSUR', 'AUTH_ISSUER')]],
  [{ RATE_LIMIT_MAXIMUM: '1' }, [noSetting('RATE_LIMIT_MAXIMUM', 'RATE_LIMIT_MAX')]],
  [{ FORWARD_HEADER: 'X-A' }, [noSetting('FORWARD_HEADER', 'FORWARD_HEADERS')]],
  [{ MANAGEMENT_HOST: '::1' }, [startingWith('MANAGEMENT_HOST')]],
  [{ MANAGEMENT_SERVICES_HOST: 'a' }, [startingWith('MANAGEMENT_SERVICES_HOST')]],
  [{ AUTH_X_SERVICE_PORT: '1', AUTH_X_SERVICE_HOST: ' ' }, [startingWith('AUTH_X_SERVICE_PORT')]],
  [{ AUTH_PORTAL: '1', AUTH_SERVICE_HOST: 'a' }, [startingWith('AUTH_PORTAL')]],
];

/** Each variable whose allowed values are integers by the table, with the smallest and the largest value. */
const INTEGERS = Object.entries(TABLE).flatMap(([name, { schema, allowed }]) => {
  const [, min, max] = /^an integer from (\d+) to (\d+)$/.exec(allowed) ?? [];
  return max === undefined ? [] : [{ name, allowed, schema, min: Number(min), max: Number(max) }];
});

it.each(READ)('D26 reads %j', (env, expected) => {
  expect(readSettings(full(env))).toMatchObject(expected);
});

it.each(REFUSED)('D26 refuses %j', (env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

it.each(INTEGERS)('D26 $name is $allowed, in decimal digits', ({ schema, min, max }) => {
  expect([min, max].map((value) => schema.parse(String(value)))).toEqual([min, max]);
  const near = fc.oneof(fc.integer(), ...[min, max].map((bound) => fc.integer({ min: bound - 2, max: bound + 2 })));
  fc.assert(
    fc.property(near, fc.nat(3), (value, zeros) => {
      const text = value < 0 ? String(value) : '0'.repeat(zeros) + String(value);
      const { success, data } = schema.safeParse(text);
      expect([success, data]).toEqual(value >= min && value <= max ? [true, value] : [false, undefined]);
    }),
  );
  fc.assert(fc.property(anyText(), (text) => /^\d+$/.test(text) || !schema.safeParse(text).success));
});

it('D9 a pattern has to match the whole of an identifier, anchored or not', () => {
  const texts = ['SHP-12', 'xSHP-12', 'SHP-12x', 'SHP-12\n', 'SHP-'];
  for (const SHIPPING_ID_PATTERN of ['SHP-[0-9]+', '^SHP-[0-9]+$', 'SHP-[0-9]|SHP-[0-9]+']) {
    const { idPattern } = readSettings({ SHIPPING_ID_PATTERN });
    expect(texts.map((text) => idPattern.test(text))).toEqual([true, false, false, false, false]);
  }
});

it('D26 lists all faults at once, one a line', () => {
  const env = { PORT: 'x', NODE_ENV: 'production', AUTH_SCOPE: 'a"b', EXTERNAL_SHIPPING_TOKEN: 'a b', AUTH_X: '1' };
  expect(String(thrownBy(() => readSettings(env)))).toBe(
    [
      'SettingsError: Bad settings:',
      'PORT must be an integer from 0 to 65535',
      'EXTERNAL_SHIPPING_TOKEN must be visible ASCII characters without spaces',
      'AUTH_SCOPE must be scopes of visible ASCII characters without quotes, separated by spaces',
      'AUTH_X is no setting; the nearest is AUTH_SCOPE',
      'EXTERNAL_SHIPPING_BASE_URL must be given where NODE_ENV is production',
      ...Object.keys(TOKENS).map((name) => `${name} must be given where AUTH_SCOPE is`),
    ].join('\n  - '),
  );
});

it('D26 faults and warnings contain no value and no path, secret or not', () => {
  const marked = fc.tuple(fc.constantFrom(...Object.keys(TABLE), 'AUTH_OTHER', 'CACHE_OTHER'), anyText());
  fc.assert(
    fc.property(fc.array(marked, { minLength: 1 }), (pairs) => {
      const env = Object.fromEntries(pairs.map(([name, text]) => [name, `${text}zqxjk ${text}`]));
      try {
        expect(readSettings(env).warnings.join()).not.toContain('zqxjk');
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        expect(error.stack).not.toContain('zqxjk');
      }
    }),
  );
  for (const [env] of REFUSED) expect(String(thrownBy(() => readSettings(full(env))))).not.toContain('zqxjk');
});
