import { bytesOfBody } from './bounds';

describe('D59 a body counts by the memory that V8 holds', () => {
  it.each([
    ['ASCII', 'abc', 3],
    ['Latin-1, in UTF-8 on the wire', 'äöü', 6],
    ['one character beyond Latin-1', `abcdef\u0142`, 14],
    ['three bytes a character on the wire', '\u4e2d\u4e2d', 6],
    ['bytes', Buffer.alloc(5), 5],
    ['nothing', undefined, 0],
  ])('%s', (_, body, bytes) => {
    expect(bytesOfBody(body)).toBe(bytes);
  });
});
