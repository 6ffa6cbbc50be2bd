import { MessageChannel, Worker } from 'node:worker_threads';
import { startDeadline } from './deadline';

describe('startDeadline', () => {
  describe('on a virtual clock', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('does not call back once it was ended, also after its timer', async () => {
      const passed = jest.fn();
      const first = startDeadline(50, passed);
      const second = startDeadline(50, passed);
      first();
      jest.advanceTimersByTime(50);
      second();
      await jest.advanceTimersByTimeAsync(50);
      expect([passed.mock.calls.length, jest.getTimerCount()]).toEqual([0, 0]);
      second();
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
      startDeadline(1, () => {
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
