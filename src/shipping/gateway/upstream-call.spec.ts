import { jobContext } from '../model/query-context';
import { UpstreamAccess, UpstreamCall } from './upstream-call';

it('D21 D78 sends nothing for an attempt that is refused, or has ended, before its credential came', async () => {
  const http = { get: jest.fn() };
  const refusal = new Error('refused');
  const throwIfRefused = (): void => {
    throw refusal;
  };
  const access = new UpstreamAccess(http as never, new URL('http://host.example'), {} as never, undefined);
  const call = { request: (send: (attempt: object) => unknown) => send({ throwIfRefused }) };
  const { send } = new UpstreamCall(access, 'details', jobContext(), call as never);
  await expect(send({ path: '/list' })).rejects.toBe(refusal);
  expect(http.get).not.toHaveBeenCalled();
});

it('D86 sends a request a turn of the event loop after the response to the one before', async () => {
  const call = { request: jest.fn(() => Promise.resolve({ status: 200 })) };
  const { send } = new UpstreamCall({} as never, 'details', jobContext(), call as never);
  const responses = [send({ path: '/1' }), send({ path: '/2' })] as const;
  await responses[0];
  for (let microtasks = 0; microtasks < 20; microtasks += 1) await Promise.resolve();
  expect(call.request).toHaveBeenCalledTimes(1);
  await responses[1];
  expect(call.request).toHaveBeenCalledTimes(2);
});
