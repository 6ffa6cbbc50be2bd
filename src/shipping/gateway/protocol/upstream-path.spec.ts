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

  it.each([
    ...['/api-internal/parcels', '/apiparcels', '/api', '/parcels', '/api/../admin'],
    ...['https://carrier.example.evil/api/parcels', 'https://evil.example/api/parcels'],
  ])('%s is refused', (next) => {
    expect(() => pathOf(next)).toThrow('next page: no URL below the base URL');
  });
});
