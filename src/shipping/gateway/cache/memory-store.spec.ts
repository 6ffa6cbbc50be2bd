import * as fc from 'fast-check';
import { MemoryStore, sizeOf, type CacheEntry } from './memory-store';

const entry = (body: unknown, storedAt = 0): CacheEntry => ({ body, storedAt });

describe('MemoryStore', () => {
  it('keeps the newest entry of a key', () => {
    const store = new MemoryStore(10_000);
    const [first, second] = [entry('a'), entry('b')];
    expect([store.set('key', first), store.set('key', second)]).toEqual([true, true]);
    expect([store.get('key'), store.size]).toEqual([second, 1]);
    store.delete('key');
    expect([store.get('key'), store.bytes]).toEqual([undefined, 0]);
  });

  it('does not keep what exceeds its bytes by itself, nor what stood there before', () => {
    const store = new MemoryStore(1000);
    store.set('other', entry('kept'));
    store.set('key', entry('a'));
    expect(store.set('key', entry('a'.repeat(1000)))).toBe(false);
    expect([store.get('key'), store.size]).toEqual([undefined, 1]);
  });

  it('counts what JSON takes in memory, on the high side', () => {
    const body = Array.from({ length: 2000 }, (_, index) => ({ id: `SHP-${index}`, weight: index + 0.5, none: null }));
    const text = JSON.stringify(body);
    const before = process.memoryUsage().heapUsed;
    const copies = Array.from({ length: 20 }, () => JSON.parse(text) as unknown);
    const grown = process.memoryUsage().heapUsed - before;
    // What is collected meanwhile makes the growth too small, never too large.
    expect(sizeOf(copies)).toBeGreaterThan(grown * 0.9 + text.length * 20);
    expect(sizeOf(copies)).toBeLessThan(text.length * 20 * 10);
  });

  it('stays within its bounds, and lets go of what was not used for the longest time', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.oneof(
      fc.record({ key, size: fc.nat(600) }),
      fc.record({ key, size: fc.constant(undefined) }),
      fc.record({ key, size: fc.constant(null) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4000 }), fc.array(step), (maxBytes, steps) => {
        const store = new MemoryStore(maxBytes);
        let model: { key: string; entry: CacheEntry; bytes: number }[] = [];
        for (const { key: name, size } of steps) {
          const known = model.find((each) => each.key === name);
          if (size === undefined) {
            expect(store.get(name)).toBe(known?.entry);
            if (known !== undefined) model = [...model.filter((each) => each !== known), known];
            continue;
          }
          model = model.filter((each) => each !== known);
          if (size === null) {
            store.delete(name);
          } else {
            const added = { key: name, entry: entry('x'.repeat(size)), bytes: 48 + 37 + 32 + 5 * size };
            expect(store.set(name, added.entry)).toBe(added.bytes <= maxBytes);
            if (added.bytes <= maxBytes) model.push(added);
            const total = (): number => model.reduce((sum, { bytes }) => sum + bytes, 0);
            while (total() > maxBytes) model.shift();
          }
          expect(store.size).toBe(model.length);
          expect(store.bytes).toBe(model.reduce((sum, { bytes }) => sum + bytes, 0));
        }
        expect(store.bytes).toBeLessThanOrEqual(maxBytes);
        for (const each of model) expect(store.get(each.key)).toBe(each.entry);
      }),
    );
  });
});
