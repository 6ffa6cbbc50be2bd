import { AbortEmitter, startDeadline } from './deadline';

describe('startDeadline', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('does not call back once it was ended, also after its timer', async () => {
    const client = new AbortEmitter();
    const called = jest.fn();
    const [first, second] = [startDeadline(50, client, called, called), startDeadline(50, client, called, called)];
    first();
    jest.advanceTimersByTime(50);
    second();
    client.abort();
    await jest.advanceTimersByTimeAsync(50);
    expect([called.mock.calls.length, jest.getTimerCount(), client.listenerCount('abort')]).toEqual([0, 0, 0]);
  });
});
