import { causeOf, thrownBy } from '../../../../test/support/units';
import type { UpstreamTarget } from './shipping-protocol';
import { upstreamPathOf } from './upstream-path';

describe('D9 the path of a request', () => {
  const ROOT = new URL('https://carrier.example');
  const NO_ROOT = 'a path that does not start with "/"';
  const CHARACTER = 'a path with a character that a path cannot have, such as "?"';
  const DOTS = '/.. /. /a/../b /a/./b /%2e%2E/a /a/.%2e /a/%252e%252e/b /a%2f..%2fb /a/..;x/b /a%5c..'.split(' ');
  const placeholder = (name: string, fault = 'no value'): string => `a path whose placeholder {${name}} has ${fault}`;
  const A_DOT = 'a dot segment as its value';
  const TARGETS: readonly (readonly [target: UpstreamTarget, sentence: string])[] = [
    ...['shippings', '', 'http://evil.example/'].map((path) => [{ path }, NO_ROOT] as const),
    ...['/a?b=c', '/a#b', '/a\\b', '/a b', '/ü', '/a\r\nX: y'].map((path) => [{ path }, CHARACTER] as const),
    ...DOTS.map((path) => [{ path }, 'a path with a dot segment'] as const),
    [{ path: '/a/{id}' }, placeholder('id')],
    [{ path: '/a/{id}', id: '' }, placeholder('id')],
    [{ path: '/a/{id}/{part}', id: 'A' }, placeholder('part')],
    [{ path: '/a/{constructor}', id: 'A' }, placeholder('constructor')],
    [{ path: '/a/{id}', pathValues: { id: undefined as never } }, placeholder('id')],
    [{ path: '/a/{id}', id: '..' }, placeholder('id', A_DOT)],
    [{ path: '/a/{x}', pathValues: { x: '.' } }, placeholder('x', A_DOT)],
    ...['/a/{', '/a/}', '/a/{}', '/a/{i-d}', '/a/{{id}}'].map((path) => [{ path, id: 'A' }, CHARACTER] as const),
  ];
  it.each(TARGETS)('refuses %j', (target, sentence) => {
    expect(causeOf(thrownBy(() => upstreamPathOf(target, ROOT)))).toBe(sentence);
  });

  it('has values that stay one segment each', () => {
    const target = { path: '/v2/{carrier}/{id}', id: '{carrier}', pathValues: { carrier: '../a?b#c' } };
    expect(upstreamPathOf(target, ROOT)).toBe('/v2/..%2Fa%3Fb%23c/%7Bcarrier%7D');
  });

  it('has arrays as repeated parameters, and booleans', () => {
    const query = { tag: ['a&b', 'c', undefined], active: true, 'filter[day]': new Date(0), none: null, empty: [] };
    const sent = '/a?tag=a%26b&tag=c&active=true&filter[day]=1970-01-01T00%3A00%3A00.000Z';
    expect(upstreamPathOf({ path: '/a', query }, ROOT)).toBe(sent);
  });
});

describe('D9 the URL of a next page, where the base URL has a path', () => {
  const BASE = new URL('https://carrier.example/api');
  const pathOf = (next: unknown): string => upstreamPathOf({ path: '/parcels', next: next as string }, BASE);

  it.each([
    { next: '?cursor=2', path: '/parcels?cursor=2' },
    { next: '/api/parcels?cursor=2', path: '/parcels?cursor=2' },
    { next: 'http://carrier.example/api/others', path: '/others' },
  ])('$next leads to $path', ({ next, path }) => {
    expect(pathOf(next)).toBe(path);
  });

  it('is resolved against the path with its values', () => {
    const target = { path: '/v2/{carrier}/parcels/{id}', id: '7', pathValues: { carrier: 'a b' }, next: '?cursor=2' };
    expect(upstreamPathOf(target, BASE)).toBe('/v2/a%20b/parcels/7?cursor=2');
    expect(upstreamPathOf({ ...target, next: '8' }, BASE)).toBe('/v2/a%20b/parcels/8');
  });

  it('needs values of placeholders only where it is relative to the path', () => {
    const path = '/v2/{carrier}/parcels';
    expect(upstreamPathOf({ path, next: '/api/v2/a/parcels?cursor=2' }, BASE)).toBe('/v2/a/parcels?cursor=2');
    expect(() => upstreamPathOf({ path, next: '?cursor=2' }, BASE)).toThrow('placeholder {carrier} has no value');
  });

  it.each([
    ...['/api-internal/parcels', '/apiparcels', '/api', '/parcels', '/api/../admin'],
    ...['https://carrier.example.evil/api/parcels', 'https://evil.example/api/parcels', '//evil.example/api/parcels'],
    ...['file:///etc/passwd', 'javascript:alert(1)', 'http://', '/api/a/%252e%252e/b', 7, { href: '/api/parcels' }],
  ])('%j is refused', (next) => {
    expect(causeOf(thrownBy(() => pathOf(next)))).toBe('next page: no URL below the base URL');
  });
});
