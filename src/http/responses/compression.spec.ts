import { acceptsGzip } from './compression';

it.each([
  [undefined, false],
  ['', false],
  ['identity, deflate, br', false],
  ['gzip;q=0, br', false],
  ['br;q=0.8, gzip;q=0.2', true],
  ['zstd, X-GZIP', true],
  ['*', true],
])('D79 Accept-Encoding: %s accepts gzip: %s', (accepted, isAccepted) => {
  expect(acceptsGzip(accepted)).toBe(isAccepted);
});
