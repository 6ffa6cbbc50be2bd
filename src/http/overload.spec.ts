import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { shedLoad } from './overload';

type PressureHandler = (request: unknown, reply: unknown) => unknown;

async function pressureHandler(): Promise<PressureHandler> {
  const register = jest.fn<Promise<void>, [unknown, { pressureHandler: PressureHandler }]>(() => Promise.resolve());
  await shedLoad({ register } as unknown as NestFastifyApplication);
  const [, options] = register.mock.calls[0] ?? [];
  if (options === undefined) throw new Error('Nothing was registered');
  return options.pressureHandler;
}

const requestFor = (url: string | undefined): unknown => ({ id: 'REQ-1', url: url ?? '/', routeOptions: { url } });

describe('shedLoad', () => {
  it('D15 refuses operations with a problem, and says when to come back', async () => {
    const handler = await pressureHandler();
    const reply = {
      status: jest.fn().mockReturnThis(),
      type: jest.fn().mockReturnThis(),
      header: jest.fn().mockReturnThis(),
    };
    expect(handler(requestFor('/api/Shipping/GetShippingDetails'), reply)).toMatchObject({
      status: 503,
      code: 'overloaded',
      requestId: 'REQ-1',
    });
    expect(reply.status.mock.calls).toEqual([[503]]);
    expect(reply.type.mock.calls).toEqual([['application/problem+json; charset=utf-8']]);
    expect(reply.header.mock.calls).toEqual([['Retry-After', '1']]);
  });

  it.each(['/health/live', '/metrics', '/docs', undefined])('D25 lets %s pass', async (url) => {
    expect((await pressureHandler())(requestFor(url), {})).toBeUndefined();
  });
});
