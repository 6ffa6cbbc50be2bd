import { ClientDisconnect } from './disconnects';

describe('ClientDisconnect', () => {
  it('notifies each listener once, also those that remove themselves meanwhile', () => {
    const disconnect = new ClientDisconnect();
    const listeners = [0, 1, 2].map(() => ({
      handleEvent: jest.fn(function (this: { handleEvent(): void }) {
        disconnect.removeEventListener('abort', this);
      }),
    }));
    for (const listener of listeners) disconnect.addEventListener('abort', listener);
    expect(disconnect.aborted).toBe(false);
    disconnect.notify();
    disconnect.notify();
    expect(disconnect.aborted).toBe(true);
    expect(listeners.map(({ handleEvent }) => handleEvent.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it('does not notify listeners that were removed', () => {
    const disconnect = new ClientDisconnect();
    const listener = { handleEvent: jest.fn() };
    disconnect.addEventListener('abort', listener);
    disconnect.removeEventListener('abort', listener);
    disconnect.notify();
    expect(listener.handleEvent).not.toHaveBeenCalled();
  });
});
