import { Connections } from './connections';

it('D27 the connections of an application that closes them after all hooks are closed then, and once', async () => {
  const connections = new Connections();
  const closer = jest.fn();
  connections.add(closer);
  connections.closeAfterHooks = true;
  await connections.onApplicationShutdown();
  expect(closer).not.toHaveBeenCalled();
  await connections.close();
  await connections.close();
  expect(closer).toHaveBeenCalledTimes(1);
});
