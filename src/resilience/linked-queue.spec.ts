import fc from 'fast-check';
import { type QueueNode, LinkedQueue } from './linked-queue';

describe('LinkedQueue', () => {
  it('a place that was left points at nobody, so that it keeps nobody alive', () => {
    const list = new LinkedQueue<string>();
    const places = ['a', 'b', 'c', 'd'].map((value) => list.push(value));
    list.shift();
    list.remove(places[2] as QueueNode<string>);
    for (const place of [places[0], places[2]]) expect([place?.before, place?.after]).toEqual([undefined, undefined]);
    expect([list.shift(), list.shift(), list.shift()]).toEqual(['b', 'd', undefined]);
  });

  it('iterates from the first to the last, also where the value at hand is removed', () => {
    const list = new LinkedQueue<string>();
    const nodes = new Map(['a', 'b', 'c'].map((value) => [value, list.push(value)]));
    const seen: string[] = [];
    for (const value of list) {
      seen.push(value);
      list.remove(nodes.get(value) as QueueNode<string>);
    }
    expect([seen, list.size, [...list]]).toEqual([['a', 'b', 'c'], 0, []]);
  });

  it('hands out in order of arrival what has not left, and knows its size', () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), at: fc.constant(0) }),
      fc.record({ kind: fc.constant('shift' as const), at: fc.constant(0) }),
      fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const list = new LinkedQueue<number>();
        const model: QueueNode<number>[] = [];
        operations.forEach(({ kind, at }, value) => {
          if (kind === 'push') {
            model.push(list.push(value));
          } else if (kind === 'shift') {
            expect(list.shift()).toBe(model.shift()?.value);
          } else if (model.length > 0) {
            model.splice(at % model.length, 1).forEach((standing) => {
              list.remove(standing);
            });
          }
          expect(list.size).toBe(model.length);
        });
        for (const { value } of model) {
          expect(list.shift()).toBe(value);
        }
        expect(list.shift()).toBeUndefined();
      }),
    );
  });
});
