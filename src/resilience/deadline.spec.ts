import { Client } from '../../test/support/call-policy';
import { useFakeTimers } from '../../test/support/fake-timers';
import { collectGarbage } from '../../test/support/used-heap';
import { startDeadline } from './deadline';
import { CLIENT_DISCONNECTED, ClientDisconnectedError } from './upstream-failure';

class Connection {
  close(client: AbortController): void {
    client.abort(CLIENT_DISCONNECTED);
  }
}

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

it('D59 the error of a disconnected client keeps no connection', async () => {
  const client = new Client();
  const errors: unknown[] = [];
  startDeadline(60_000, client.signal, (error) => errors.push(error));
  const closed = ((connection) => {
    connection.close(client);
    return new WeakRef(connection);
  })(new Connection());
  await new Promise(setImmediate);
  collectGarbage();
  expect(errors).toEqual([expect.any(ClientDisconnectedError)]);
  expect(closed.deref()).toBeUndefined();
});
