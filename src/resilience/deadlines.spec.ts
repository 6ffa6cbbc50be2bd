import fc from 'fast-check';
import { MessageChannel, Worker } from 'node:worker_threads';
import { type Deadline, Deadlines } from './deadlines';

const LENGTH_MS = 50;

describe('Deadlines', () => {
  describe('on a virtual clock', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('tells each once, when its time has passed, unless it was ended; with one timer, and none when none is left', async () => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('start' as const), by: fc.constant(0) }),
        fc.record({ kind: fc.constant('end' as const), by: fc.nat() }),
        fc.record({ kind: fc.constant('wait' as const), by: fc.integer({ min: 1, max: 2 * LENGTH_MS }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const deadlines = new Deadlines(LENGTH_MS);
          const started: { deadline: Deadline; at: number; ended: boolean; told: number[] }[] = [];
          for (const { kind, by } of steps) {
            if (kind === 'start') {
              const told: number[] = [];
              const deadline = deadlines.start(() => told.push(performance.now()));
              started.push({ deadline, at: performance.now() + LENGTH_MS, ended: false, told });
            } else if (kind === 'wait') {
              await jest.advanceTimersByTimeAsync(by);
            } else {
              const one = started[by % Math.max(1, started.length)];
              if (one === undefined) continue;
              deadlines.end(one.deadline);
              one.ended ||= one.told.length === 0;
            }
            const now = performance.now();
            for (const { at, ended, told } of started) expect(told).toEqual(!ended && at <= now ? [at] : []);
            const open = started.filter(({ at, ended }) => !ended && at > now);
            expect(jest.getTimerCount()).toBe(open.length === 0 ? 0 : 1);
          }
          await jest.advanceTimersByTimeAsync(LENGTH_MS);
        }),
      );
    });

    it('one may be started and another ended while they are told', async () => {
      const deadlines = new Deadlines(LENGTH_MS);
      const told: string[] = [];
      deadlines.start(() => {
        told.push('first');
        deadlines.end(second);
        deadlines.start(() => told.push('third'));
      });
      const second = deadlines.start(() => told.push('second'));
      await jest.advanceTimersByTimeAsync(LENGTH_MS);
      expect([told, jest.getTimerCount()]).toEqual([['first'], 1]);
      await jest.advanceTimersByTimeAsync(LENGTH_MS);
      expect([told, jest.getTimerCount()]).toEqual([['first', 'third'], 0]);
    });
  });

  it('what arrived while this process stood still is read before a deadline has passed', async () => {
    const { port1: here, port2: there } = new MessageChannel();
    const sent = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(
      `const { workerData: { port, sent } } = require('node:worker_threads');
       port.postMessage('a reply');
       Atomics.store(sent, 0, 1);
       Atomics.notify(sent, 0);`,
      { eval: true, workerData: { port: there, sent }, transferList: [there] },
    );
    const events: string[] = [];
    const read = new Promise<void>((resolve) => {
      here.on('message', (reply: string) => {
        events.push(reply);
        resolve();
      });
    });
    const passed = new Promise<void>((resolve) => {
      new Deadlines(1).start(() => {
        events.push('passed');
        resolve();
      });
    });
    // Nothing of this process runs until the reply is here and the deadline is over.
    Atomics.wait(sent, 0, 0);
    Atomics.wait(sent, 0, 1, 20);
    await Promise.all([read, passed]);
    expect(events).toEqual(['a reply', 'passed']);
    here.close();
    await worker.terminate();
  });
});
