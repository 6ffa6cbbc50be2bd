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
