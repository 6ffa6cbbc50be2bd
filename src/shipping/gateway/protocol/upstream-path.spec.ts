import { causeOf, thrownBy } from '../../../../test/support/units';
import { upstreamPathOf } from './upstream-path';

describe('D9 the URL of a next page, where the base URL has a path', () => {
  const BASE = new URL('https://carrier.example/api');
  const pathOf = (next: string): string => upstreamPathOf({ path: '/parcels', next }, BASE);

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
    ...['https://carrier.example.evil/api/parcels', 'https://evil.example/api/parcels'],
  ])('%s is refused', (next) => {
    expect(causeOf(thrownBy(() => pathOf(next)))).toBe('next page: no URL below the base URL');
  });
});
