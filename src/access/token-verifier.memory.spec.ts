import { usedHeap } from '../../test/support/used-heap';
import { heldBytes } from './token-verifier';

const COUNT = 100;
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
