import { UNDECODABLE_TARGET } from '../paths';
import { routableTarget } from './malformed-requests';

describe('routableTarget', () => {
  it.each([
    ['/a%20b?c=%zz', '/a%20b?c=%zz'],
    ['/a?%', '/a?%'],
    ['/%zz', UNDECODABLE_TARGET],
    ['/%C3?a=1', UNDECODABLE_TARGET],
    ['*', '/*'],
    ['/\xc3\xb6', UNDECODABLE_TARGET],
    ['/a?b=\xff', UNDECODABLE_TARGET],
    ['/a#b', UNDECODABLE_TARGET],
    ['/a?b#c', UNDECODABLE_TARGET],
  ])('D7 %j becomes %j: only the path decides', (url, target) => {
    expect(routableTarget({ url })).toBe(target);
  });
});
