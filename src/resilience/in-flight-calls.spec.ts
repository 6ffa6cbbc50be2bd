import fc from 'fast-check';
import { InFlightCallMap } from './in-flight-calls';

class Call {
  next: Call | undefined;

  constructor(readonly key: string | undefined) {}
}

describe('FlightTable', () => {
  it('finds what was added, by its key', () => {
    const table = new InFlightCallMap<Call>();
    const call = new Call('/shippings/paged?PageNumber=1');
    table.add(call);
    expect(table.get('/shippings/paged?PageNumber=1')).toBe(call);
    expect(table.get('/shippings/paged?PageNumber=2')).toBeUndefined();
  });

  it('removes the very entry and not one of the same key that came later', () => {
    const table = new InFlightCallMap<Call>();
    const [first, second] = [new Call('a'), new Call('a')];
    table.add(first);
    table.remove(first);
    table.add(second);
    table.remove(first);
    expect(table.get('a')).toBe(second);
  });

  it('holds nothing without a key', () => {
    const table = new InFlightCallMap<Call>();
    const call = new Call(undefined);
    table.add(call);
    expect(table.get(undefined)).toBeUndefined();
    table.remove(call);
  });

  it('is a map, whatever is added and removed in whatever order, keys that collide included', () => {
    const key = fc.oneof(fc.string({ maxLength: 2 }), fc.constantFrom('', 'constructor', '__proto__', 'é'));
    const step = fc.record({ key, add: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3000, size: 'max' }), (steps) => {
        const table = new InFlightCallMap<Call>();
        const model = new Map<string, Call>();
        for (const { key, add } of steps) {
          const known = model.get(key);
          expect(table.get(key)).toBe(known);
          if (add && known === undefined) {
            const call = new Call(key);
            table.add(call);
            model.set(key, call);
          } else if (!add && known !== undefined) {
            table.remove(known);
            model.delete(key);
          }
        }
        for (const [key, call] of model) expect(table.get(key)).toBe(call);
      }),
    );
  });
});
