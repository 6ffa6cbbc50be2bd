import { Readable } from 'node:stream';
import { usedHeap } from '../../../test/support/used-heap';
import { bytesOf, bytesOfObjects, type Held, heldBytes, heldOutsideHeap, memoryOfBody } from './held-memory';

describe('D59 held memory', () => {
  const two = Buffer.alloc(1000);

  it.each<[string, Held[], number]>([
    ['nothing', [], 0],
    [
      'bytes, and what is held beside them',
      [
        { body: 5, otherBytes: 2 },
        { body: 5, otherBytes: 0 },
      ],
      12,
    ],
    [
      'a buffer of several once',
      [
        { body: two, otherBytes: 1 },
        { body: two, otherBytes: 2 },
      ],
      1003,
    ],
    ['a slice as the whole that it keeps', [{ body: two.subarray(0, 10), otherBytes: 0 }], 1000],
    ['slices of one whole once', [0, 500].map((at) => ({ body: two.subarray(at, at + 10), otherBytes: 0 })), 1000],
  ])('counts %s', (_, holders, bytes) => {
    expect(bytesOf(holders)).toBe(bytes);
  });
});

it.each([
  ['ASCII', 'abc', 3],
  ['Latin-1, in UTF-8 on the wire', 'äöü', 6],
  ['one character beyond Latin-1', `abcdef\u0142`, 14],
  ['three bytes a character on the wire', '\u4e2d\u4e2d', 6],
  ['bytes', Buffer.alloc(5), 5],
  ['a stream, by its buffers and those of the response', Readable.from([]), 131_072],
  ['nothing', undefined, 0],
])('D59 a body counts by the memory that V8 holds: %s', (_, body, bytes) => {
  expect(bytesOf([{ body: memoryOfBody(body), otherBytes: 0 }])).toBe(bytes);
});

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

const COUNT = 200;
const many = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

it.each<[string, (index: number) => string]>([
  ['short texts', (index) => JSON.stringify(many(800, (role) => (index * 800 + role).toString(36)))],
  ['long texts', (index) => JSON.stringify(many(100, (role) => `shipping:read:tenant-${index}-${role}`))],
  ['a text beyond Latin-1', (index) => JSON.stringify(`\u0142${'x'.repeat(9000)}${index}`)],
  ['empty objects', () => JSON.stringify(many(3000, () => ({})))],
  ['empty arrays', () => JSON.stringify(many(3000, () => []))],
  ['objects with a name of their own', (index) => JSON.stringify(many(900, (at) => ({ [`${index}-${at}`]: 1 })))],
  ['texts in such objects', (index) => JSON.stringify(many(700, (at) => ({ [`${index}-${at}`]: `x${index}y${at}` })))],
  ['an object of many names', (index) => JSON.stringify(Object.fromEntries(many(1500, (at) => [`${index}${at}`, at])))],
  ['numbers', () => JSON.stringify(many(3000, (at) => at / 7))],
  ['arrays in arrays', () => nested(1000)],
])('D76 heldBytes underestimates nothing: %s', (_, textOf) => {
  const texts = many(COUNT, (index) => Buffer.from(textOf(index)));
  const parse = (text: Buffer): unknown => JSON.parse(text.toString());
  const kept = many<unknown>(COUNT, () => 0);
  parse(texts[0] ?? Buffer.alloc(0));
  const before = usedHeap();
  texts.forEach((text, index) => (kept[index] = parse(text)));
  const held = usedHeap() - before;
  const counted = kept.reduce<number>((sum, value) => sum + heldBytes(value), 0);
  expect(counted).toBeGreaterThan(0.95 * held);
  expect(counted).toBeLessThan(7 * held);
});
