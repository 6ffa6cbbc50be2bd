import { SharedBody } from '../../../http/responses/shared-body';
import { COMPLETE } from '../../model/query-result';
import type { CacheEntry } from './cache-entry';
import { MemoryStore } from './memory-store';

const entry = (length: number): CacheEntry => {
  const body = SharedBody.of(JSON.stringify('x'.repeat(length)));
  return { body, completeness: COMPLETE, storedAt: 0 };
};

describe('D75 the store in the process', () => {
  it('evicts the least recently used entry where another one does not fit', () => {
    const store = new MemoryStore(30_000);
    for (const key of ['a', 'b']) store.set(key, entry(10_000));
    store.get('a');
    store.set('c', entry(10_000));
    expect(['a', 'b', 'c'].filter((key) => store.get(key) !== undefined)).toEqual(['a', 'c']);
  });

  it('counts a coding that was added to an entry', async () => {
    const store = new MemoryStore(22_100);
    const random = Array.from({ length: 4000 }, (_, index) => Math.sin(index))
      .join()
      .slice(0, 10_000);
    const grown = { ...entry(0), body: SharedBody.of(JSON.stringify(random)) };
    store.set('a', entry(9000));
    store.set('b', grown);
    expect(store.get('a')).toBeDefined();
    await grown.body.compressed();
    store.update('b', grown);
    expect([store.get('a'), store.get('b')?.body]).toEqual([undefined, grown.body]);
  });

  it('stores nothing again that was removed or replaced meanwhile', () => {
    const store = new MemoryStore(30_000);
    const [old, newer] = [entry(1), entry(2)];
    store.set('a', old);
    store.delete('a');
    store.update('a', old);
    expect(store.get('a')).toBeUndefined();
    store.set('a', newer);
    store.update('a', old);
    expect(store.get('a')).toBe(newer);
  });
});
