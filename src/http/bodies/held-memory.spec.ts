import fc from 'fast-check';
import { Readable } from 'node:stream';
import { usedHeap } from '../../../test/support/used-heap';
import {
  bytesOfHeld,
  bytesOfObjects,
  type Held,
  heldBytes,
  HeldMemory,
  heldOutsideHeap,
  memoryOfBody,
} from './held-memory';

const BUFFERS = [0, 1, 5, 1000].map((bytes) => Buffer.alloc(bytes));

describe('D59 held memory', () => {
  it('keeps no buffer that all responses have released', () => {
    const memory = new HeldMemory();
    const before = usedHeap();
    for (let response = 0; response < 50_000; response += 1) {
      const body = Buffer.alloc(0);
      memory.hold(body);
      memory.release(body);
    }
    const growth = usedHeap() - before;
    // This line comes last: until it, `memory` itself is not collected.
    expect([growth < 1_000_000, memory.bytes]).toEqual([true, 0]);
  });

  it('counts what is held, in any order of holding and releasing', () => {
    const held: fc.Arbitrary<Held> = fc.oneof(fc.nat(50), fc.constantFrom(...BUFFERS));
    const steps = fc.array(fc.record({ held, releases: fc.nat(20) }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (each) => {
        const memory = new HeldMemory();
        const all: Held[] = [];
        for (const { held, releases } of each) {
          const released = releases < 8 ? all.splice(releases, 1) : [];
          for (const one of released) memory.release(one);
          memory.hold(held);
          all.push(held);
          const numbers = all.filter((one) => typeof one === 'number');
          const buffers = new Set(all.filter((one) => typeof one !== 'number'));
          const bytes = numbers.reduce((sum, one) => sum + one, 0);
          expect(memory.bytes).toBe([...buffers].reduce((sum, one) => sum + one.length, bytes));
        }
      }),
    );
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
  expect(bytesOfHeld(memoryOfBody(body))).toBe(bytes);
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
