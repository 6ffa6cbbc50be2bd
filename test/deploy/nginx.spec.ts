import { maxHeaderSize } from 'node:http';
import { readSettings } from '../../src/config/settings';
import { MAX_LINK_LENGTH } from '../../src/shipping/http/respond';
import { requestIdOf } from '../../src/http/requests/request-headers';
import { read } from './support/files';

const SOURCE = read('deploy/nginx/nginx.conf').replace(/^\s*#.*$/gm, '');

/** The arguments of a directive, wherever it stands. */
function argumentsOf(directive: string): string[] {
  return [...SOURCE.matchAll(new RegExp(`^\\s*${directive}\\s+([^;]+);`, 'gm'))].map(([, text]) => String(text));
}

function milliseconds(time: string | undefined): number {
  return Number(/^(\d+)s$/.exec(time ?? '')?.[1]) * 1000;
}

function kibibytes(size: string | undefined): number {
  return Number(/(\d+)k$/.exec(size ?? '')?.[1]) * 1024;
}

/** The regular expression in front of a value in a map, as nginx reads it. */
function patternIn(map: string): RegExp {
  const [, modifier, pattern = ''] = new RegExp(`\\$${map} \\{\\s*"~(\\*?)((?:[^"\\\\]|\\\\.)*)"`).exec(SOURCE) ?? [];
  return new RegExp(pattern.replaceAll('\\"', '"'), modifier === '*' ? 'i' : '');
}

// What it does is tested by the cluster suite, with a real nginx; here is what has to fit the code.
describe('the configuration of nginx', () => {
  const { external } = readSettings({});

  it('waits for a replica longer than that may wait for the external system', () => {
    const [wait] = argumentsOf('proxy_read_timeout');
    expect(milliseconds(wait)).toBeGreaterThan(external.timeoutMs + 500);
    expect(milliseconds(argumentsOf('proxy_next_upstream_timeout')[0])).toBeGreaterThan(milliseconds(wait));
  });

  it('gives up idle connections before a replica does', () => {
    // 72 s: the default of the HTTP server, which the service does not touch.
    expect(milliseconds(argumentsOf('keepalive_timeout')[1])).toBeLessThan(72_000);
  });

  it('has room for the longest headers of either direction', () => {
    expect(kibibytes(argumentsOf('proxy_buffer_size')[0])).toBeGreaterThanOrEqual(MAX_LINK_LENGTH + 4096);
    expect(kibibytes(argumentsOf('large_client_header_buffers')[0])).toBe(maxHeaderSize);
  });

  it.each(['abc', 'A.b_c-9', 'x'.repeat(64), 'x'.repeat(65), 'a b', 'a"b', '', 'ä'])(
    'D22 passes a request id exactly where the service takes it: %j',
    (id) => {
      expect(patternIn('passed_request_id').test(id)).toBe(requestIdOf({ headers: { 'x-request-id': id } }) === id);
    },
  );

  it('D21 reads nothing that clients prefer, and takes no 503 for a failure of a replica', () => {
    expect(SOURCE).not.toMatch(/prefer/i);
    expect(argumentsOf('proxy_next_upstream')).toEqual(['error timeout']);
    expect(argumentsOf('proxy_set_header')).toContain('Shipping-Overload close');
  });

  it('holds no response in a file, and bounds the connections of a client', () => {
    expect(argumentsOf('proxy_max_temp_file_size')).toEqual(['0']);
    expect(argumentsOf('limit_conn')).toEqual(['clients 256']);
  });

  it('logs the routes of the specification', () => {
    const routes = [...SOURCE.matchAll(/^\s*~\*(\S+)\s+"?([^";]+)"?;$/gm)];
    const routeOf = (path: string): string | undefined =>
      routes.find(([, pattern = '']) => new RegExp(pattern, 'i').test(path))?.[2];
    const names = ['GetShippingSingle', 'GetShippingInfoById/{id}', 'GetShippingDetails', 'GetShippingPagedList'];
    const operations = names.map((name) => `/api/Shipping/${name}`);
    expect(operations.map((path) => routeOf(path.replace('{id}', 'SHP-1')))).toEqual(operations);
  });
});
