import { Client } from '../../test/support/call-policy';
import { useFakeTimers } from '../../test/support/fake-timers';
import { PlainSignal, startDeadline } from './deadline';

describe('startDeadline', () => {
  const pass = useFakeTimers();

  it('does not call back once it was ended, also after its timer', async () => {
    const client = new Client();
    const called = jest.fn();
    const [first, second] = [startDeadline(50, client.signal, called), startDeadline(50, client.signal, called)];
    first();
    jest.advanceTimersByTime(50);
    second();
    client.abort();
    await pass(50);
    expect([called.mock.calls.length, jest.getTimerCount(), client.listeners]).toEqual([0, 0, 0]);
  });

  it('starts no timer with a negative time, of which Node warns, where the deadline has just passed', () => {
    const started = jest.spyOn(globalThis, 'setTimeout');
    startDeadline(-0.5, undefined, jest.fn())();
    expect(started.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  });
});

describe('PlainSignal', () => {
  it('calls its listeners once, and none that was removed', () => {
    const signal = new PlainSignal();
    const [removed, removedLater] = [jest.fn(), jest.fn()];
    const first = jest.fn(() => {
      signal.removeEventListener('abort', removedLater);
    });
    for (const listener of [first, removed, removedLater]) signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', removed);
    signal.throwIfAborted();
    signal.abort('first');
    signal.abort('second');
    const calls = [first, removed, removedLater].map(({ mock }) => mock.calls.length);
    expect([calls, signal.reason]).toEqual([[1, 0, 0], 'first']);
    expect(() => {
      signal.throwIfAborted();
    }).toThrow('first');
  });

  it.each([true, false])('is a real signal where one is read, before it is aborted: %s', (readsBefore) => {
    const plain = new PlainSignal();
    const before = readsBefore ? plain.signal : undefined;
    expect(before?.aborted ?? false).toBe(false);
    plain.abort('reason');
    expect(plain.signal).toBeInstanceOf(AbortSignal);
    expect(before ?? plain.signal).toBe(plain.signal);
    expect([plain.signal.aborted, plain.signal.reason]).toEqual([true, 'reason']);
  });
});
