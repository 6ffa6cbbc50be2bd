import { Readable } from 'node:stream';
import { bytesOf, type Held, memoryOfBody } from './held-memory';

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
])('D59 held memory counts %s', (_, holders, bytes) => {
  expect(bytesOf(holders)).toBe(bytes);
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
