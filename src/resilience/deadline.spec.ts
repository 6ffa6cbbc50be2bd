import { useFakeTimers } from '../../test/support/fake-timers';
import { collectGarbage } from '../../test/support/used-heap';
import { AbortEmitter, startDeadline } from './deadline';
import { ClientDisconnectedError } from './upstream-failure';

class Connection {
  close(client: AbortEmitter): void {
    client.abort();
  }
}

describe('startDeadline', () => {
  const pass = useFakeTimers();

  it('does not call back once it was ended, also after its timer', async () => {
    const client = new AbortEmitter();
    const called = jest.fn();
    const [first, second] = [startDeadline(50, client, called), startDeadline(50, client, called)];
    first();
    jest.advanceTimersByTime(50);
    second();
    client.abort();
    await pass(50);
    expect([called.mock.calls.length, jest.getTimerCount(), client.listenerCount('abort')]).toEqual([0, 0, 0]);
  });

  it('starts no timer with a negative time, of which Node warns, where the deadline has just passed', () => {
    const started = jest.spyOn(globalThis, 'setTimeout');
    startDeadline(-0.5, undefined, jest.fn())();
    expect(started.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  });
});

it('D59 the error of a disconnected client keeps no connection', async () => {
  const client = new AbortEmitter();
  const errors: unknown[] = [];
  startDeadline(60_000, client, (error) => errors.push(error));
  const closed = ((connection) => {
    connection.close(client);
    return new WeakRef(connection);
  })(new Connection());
  await new Promise(setImmediate);
  collectGarbage();
  expect(errors).toEqual([expect.any(ClientDisconnectedError)]);
  expect(closed.deref()).toBeUndefined();
});
