import { requestIdFrom } from './request-id';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

describe('requestIdFrom', () => {
  it.each(['a', 'A-1.b_2', '...', '-', 'x'.repeat(64)])('D22 takes %j from the caller', (header) => {
    expect(requestIdFrom(header)).toBe(header);
  });

  it.each([
    undefined,
    '',
    ' ',
    'a b',
    'a,b',
    'a\n',
    '\na',
    'é',
    'a/b',
    'a;b',
    '"a"',
    'x'.repeat(65),
    ['a', 'b'],
    ['a'],
  ])('D22 makes an own one instead of %j', (header) => {
    const id = requestIdFrom(header);
    expect(id).toMatch(ACCEPTED);
    expect(id).not.toBe(header);
    expect(requestIdFrom(header)).not.toBe(id);
  });
});
