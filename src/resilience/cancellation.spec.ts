import { Cancellation } from './cancellation';

const reason = new Error('nobody waits');

describe('Cancellation', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('tells the latest listener, once', () => {
    const cancellation = new Cancellation();
    const first = jest.fn();
    const second = jest.fn();
    cancellation.listen(first);
    cancellation.listen(second);
    cancellation.cancel(reason);
    cancellation.cancel(reason);
    expect(first).not.toHaveBeenCalled();
    expect(second.mock.calls).toEqual([[reason]]);
  });

  it('tells nobody when nobody listens any more', () => {
    const cancellation = new Cancellation();
    const listener = jest.fn();
    cancellation.listen(listener);
    cancellation.listen(undefined);
    cancellation.cancel(reason);
    expect(listener).not.toHaveBeenCalled();
  });

  it('throws its reason once cancelled, and nothing before', () => {
    const cancellation = new Cancellation();
    expect(() => {
      cancellation.throwIfCancelled();
    }).not.toThrow();
    expect(cancellation.reason).toBeUndefined();
    cancellation.cancel(reason);
    expect(() => {
      cancellation.throwIfCancelled();
    }).toThrow(reason);
    expect(cancellation.reason).toBe(reason);
  });

  it('pauses for the given time, then listens no more', async () => {
    const cancellation = new Cancellation();
    const resumed = jest.fn();
    void cancellation.pause(100).then(resumed, resumed);
    await jest.advanceTimersByTimeAsync(99);
    expect(resumed).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(resumed.mock.calls).toEqual([[undefined]]);
    const cleared = jest.spyOn(globalThis, 'clearTimeout');
    cancellation.cancel(reason);
    expect(cleared).not.toHaveBeenCalled();
  });

  it('ends a pause at once when cancelled, leaving no timer', async () => {
    const cancellation = new Cancellation();
    const pause = cancellation.pause(100);
    cancellation.cancel(reason);
    expect(jest.getTimerCount()).toBe(0);
    await expect(pause).rejects.toBe(reason);
  });
});
