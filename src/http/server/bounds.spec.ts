import { bytesOfObjects, heldOutsideHeap, memoryOfBody } from './bounds';
import { bytesOfHeld } from './held-memory';

describe('D59 a body counts by the memory that V8 holds', () => {
  it.each([
    ['ASCII', 'abc', 3],
    ['Latin-1, in UTF-8 on the wire', 'äöü', 6],
    ['one character beyond Latin-1', `abcdef\u0142`, 14],
    ['three bytes a character on the wire', '\u4e2d\u4e2d', 6],
    ['bytes', Buffer.alloc(5), 5],
    ['nothing', undefined, 0],
  ])('%s', (_, body, bytes) => {
    expect(bytesOfHeld(memoryOfBody(body))).toBe(bytes);
  });
});

describe('D59 a body is held outside the heap of V8', () => {
  it.each([
    ['a long text, as its bytes', '\u4e2d'.repeat(65_536), Buffer.from('\u4e2d'.repeat(65_536))],
    ['a short text stays', 'x'.repeat(65_535), 'x'.repeat(65_535)],
    ['no text', undefined, undefined],
  ])('%s', (_, body, held) => {
    expect(heldOutsideHeap(body)).toEqual(held);
  });
});

describe('D59 the objects behind a body that a handler returned count, too', () => {
  it.each([
    ['a long text', 'x'.repeat(65_536), 3 * 65_536],
    ['a short text', 'x'.repeat(65_535), 0],
    ['a text that respond() has made already', Buffer.alloc(65_536), 0],
  ])('%s', (_, body, bytes) => {
    expect(bytesOfObjects(body)).toBe(bytes);
  });
});
