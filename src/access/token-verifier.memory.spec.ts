import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { heldBytes } from './token-verifier';

const COUNT = 100;
const many = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** Runs in a thread with a heap of its own: a collection of the heap of a worker of Jest takes up to a second. */
const PARSES_AND_MEASURES = `
  const { parentPort, workerData } = require('node:worker_threads');
  require('node:v8').setFlagsFromString('--expose-gc');
  const collectGarbage = require('node:vm').runInNewContext('gc');
  const usedHeap = () => (collectGarbage(), collectGarbage(), process.memoryUsage().heapUsed);
  const parse = (text) => JSON.parse(Buffer.from(text).toString());
  const kept = workerData.map(() => 0);
  parse(workerData[0]);
  const before = usedHeap();
  workerData.forEach((text, index) => (kept[index] = parse(text)));
  parentPort.postMessage([usedHeap() - before, kept.length]);`;

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
])('D76 heldBytes underestimates nothing: %s', async (_, textOf) => {
  const texts = many(COUNT, textOf);
  const workerData = texts.map((text) => Buffer.from(text));
  const [[held, values]] = await once(new Worker(PARSES_AND_MEASURES, { eval: true, workerData }), 'message');
  expect(values).toBe(COUNT);
  const counted = texts.reduce((sum, text) => sum + heldBytes(JSON.parse(text)), 0);
  expect(counted).toBeGreaterThan(0.95 * held);
  expect(counted).toBeLessThan(7 * held);
});
