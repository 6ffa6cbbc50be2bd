import fc from 'fast-check';
import { InFlightCallMap } from './in-flight-calls';

class Call {
  next: Call | undefined;
  bucket = 0;

  constructor(readonly key: string | undefined) {}
}

describe('InFlightCallMap', () => {
  it('finds what was added, by its key', () => {
    const calls = new InFlightCallMap<Call>();
    const call = new Call('/shippings/paged?PageNumber=1');
    calls.add(call);
    expect(calls.get('/shippings/paged?PageNumber=1')).toBe(call);
    expect(calls.get('/shippings/paged?PageNumber=2')).toBeUndefined();
  });

  it('removes the very entry and not one of the same key that came later', () => {
    const calls = new InFlightCallMap<Call>();
    const [first, second] = [new Call('a'), new Call('a')];
    calls.add(first);
    calls.remove(first);
    calls.add(second);
    calls.remove(first);
    expect(calls.get('a')).toBe(second);
  });

  it('holds nothing without a key', () => {
    const calls = new InFlightCallMap<Call>();
    const call = new Call(undefined);
    calls.add(call);
    expect(calls.get(undefined)).toBeUndefined();
    calls.remove(call);
  });

  it('is a map, whatever is added and removed in whatever order, keys that collide included', () => {
    const key = fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom('', 'constructor', '__proto__', 'é'));
    const step = fc.record({ key, add: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3000, size: 'max' }), (steps) => {
        const calls = new InFlightCallMap<Call>();
        const model = new Map<string, Call>();
        for (const { key, add } of steps) {
          const known = model.get(key);
          expect(calls.get(key)).toBe(known);
          if (add && known === undefined) {
            const call = new Call(key);
            calls.add(call);
            model.set(key, call);
          } else if (!add && known !== undefined) {
            calls.remove(known);
            model.delete(key);
          }
        }
        for (const [key, call] of model) expect(calls.get(key)).toBe(call);
      }),
    );
  });
});
