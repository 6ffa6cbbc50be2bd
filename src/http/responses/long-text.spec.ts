import { bytesOfObjects, heldOutsideHeap } from './long-text';

it.each([
  ['a long text, as its bytes', '\u4e2d'.repeat(65_536), true],
  ['a short text stays', 'x'.repeat(65_535), false],
  ['no text', undefined, false],
])('D59 a body is held outside the heap: %s', (_, body, isOutside) => {
  const held = heldOutsideHeap(body);
  expect([Buffer.isBuffer(held), String(held)]).toEqual([isOutside, String(body)]);
});

it.each([
  ['a long text', 'x'.repeat(65_536), 3 * 65_536],
  ['a short text', 'x'.repeat(65_535), 0],
  ['a text that respond() has made already', Buffer.alloc(65_536), 0],
])('D59 the objects behind a body count, too: %s', (_, body, bytes) => {
  expect(bytesOfObjects(body)).toBe(bytes);
});
