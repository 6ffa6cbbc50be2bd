import { acceptedCoding } from './compression';

it.each([
  ['', undefined],
  ['identity, deflate', undefined],
  ['gzip;q=0, br;q=0', undefined],
  ['br;q=0.2, gzip;q=0.8', 'gzip'],
  ['gzip, br', 'br'],
  ['zstd, X-GZIP', 'gzip'],
  ['*', 'gzip'],
])('D79 Accept-Encoding: %s gets %s', (accepted, coding) => {
  expect(acceptedCoding(accepted)).toBe(coding);
});
