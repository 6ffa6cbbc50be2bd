import fc from 'fast-check';
import { HeldMemory, type Held } from './held-memory';

const BUFFERS = [0, 1, 5, 1000].map((bytes) => Buffer.alloc(bytes));

describe('D59 held memory', () => {
  it('counts a buffer once, until the last response has released it', () => {
    const memory = new HeldMemory();
    const shared = Buffer.alloc(100);
    memory.hold(shared);
    memory.hold(shared);
    memory.hold(7);
    expect(memory.bytes).toBe(107);
    memory.release(shared);
    expect(memory.bytes).toBe(107);
    memory.release(shared);
    expect(memory.bytes).toBe(7);
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
