import { Socket } from 'node:net';
import { ReadTurns } from './read-turns';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ReadTurns', () => {
  let turns: ReadTurns;
  let sockets: Socket[];
  /** Which connections are paused, in the order in which their responses were sent. */
  const paused = (): boolean[] => sockets.map((socket) => socket.isPaused());
  const become = (active: number): void => {
    for (const socket of sockets) turns.connectionIdle(socket, active);
  };

  beforeEach(() => {
    turns = new ReadTurns();
    sockets = [new Socket(), new Socket(), new Socket()];
  });

  it('reads the one that has waited longest in each turn of the event loop, and has no turn without one', async () => {
    become(32);
    expect(paused()).toEqual([true, true, true]);
    await nextTurn();
    expect(paused()).toEqual([false, true, true]);
    const [first] = sockets as [Socket];
    turns.connectionIdle(first, 32);
    await nextTurn();
    expect(paused()).toEqual([true, false, true]);
    await nextTurn();
    await nextTurn();
    expect(paused()).toEqual([false, false, false]);
    const immediate = jest.spyOn(global, 'setImmediate');
    await nextTurn();
    expect(immediate).toHaveBeenCalledTimes(1);
    become(32);
    await nextTurn();
    expect(paused()).toEqual([false, true, true]);
  });

  it('reads all of them when the server closes, and none of them again', async () => {
    become(32);
    turns.end();
    expect(paused()).toEqual([false, false, false]);
    for (const socket of sockets) socket.pause();
    await nextTurn();
    expect(paused()).toEqual([true, true, true]);
  });
});
