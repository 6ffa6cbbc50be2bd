import { Controller, Get, Module, Req } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { Public } from '../common/public.decorator';
import { createFastifyAdapter } from '../http/server/fastify-adapter';
import { decorateRequests, type Principal } from '../http/requests/request-state';
import { ProblemException } from '../http/problems/problem';
import { ProblemFilter } from '../http/problems/problem.filter';
import { PROBLEMS } from '../http/problems/problem-definitions';
import { AccessMetrics } from './access.metrics';
import { AuthenticationGuard } from './authentication.guard';
import { Authenticator, type Decision } from './authenticator';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimiter } from './rate-limiter';

const PRINCIPAL: Principal = { id: 'subject a', subject: 'a', scopes: ['read'], claims: {} };

@Controller()
class SampleController {
  @Get('closed')
  closed(@Req() { user }: FastifyRequest): object {
    return { user: user ?? null };
  }

  @Public()
  @Get('open')
  open(): object {
    return { open: true };
  }
}

@Public()
@Controller('public')
class PublicController {
  @Get()
  get(): object {
    return { open: true };
  }
}

describe('the guards of access', () => {
  const authenticate = jest.fn<Promise<Decision>, [headers: object, beforeVerification: () => Promise<void>]>();
  const refuseUsedUp = jest.fn<Promise<void>, [client: string, reply: unknown]>();
  const consume = jest.fn<Promise<void>, [client: string, reply: unknown]>();
  const failed = jest.fn();
  let app: NestFastifyApplication;

  async function start(...guards: (typeof AuthenticationGuard | typeof RateLimitGuard)[]): Promise<void> {
    @Module({
      controllers: [SampleController, PublicController],
      providers: [
        { provide: Authenticator, useValue: { acceptsApiKeys: true, authenticate } },
        { provide: RateLimiter, useValue: { consume, refuseUsedUp, addressOf: ({ ip }: FastifyRequest) => ip } },
        { provide: AccessMetrics, useValue: { failed } },
        { provide: APP_FILTER, useClass: ProblemFilter },
        ...guards.map((useClass) => ({ provide: APP_GUARD, useClass })),
      ],
    })
    class SampleModule {}
    const testing = await Test.createTestingModule({ imports: [SampleModule] }).compile();
    const adapter = createFastifyAdapter();
    app = testing.createNestApplication<NestFastifyApplication>(adapter);
    decorateRequests(adapter.getInstance<FastifyInstance>());
    await app.init();
  }
  beforeEach(() => {
    for (const mock of [authenticate, consume, refuseUsedUp, failed]) mock.mockReset();
    authenticate.mockResolvedValue({ authenticated: true, principal: PRINCIPAL });
    consume.mockResolvedValue(undefined);
  });
  afterEach(() => app.close());
  const get = (url: string): Promise<LightMyRequestResponse> => app.inject({ url, headers: { 'x-api-key': 'k' } });
  const clients = (): string[] => consume.mock.calls.map(([client]) => client);

  describe('AuthenticationGuard', () => {
    beforeEach(() => start(AuthenticationGuard));

    it.each(['/open', '/public'])('opens the public route %s', async (url) => {
      authenticate.mockResolvedValue({ authenticated: false, problem: PROBLEMS.authenticationRequired });
      expect((await get(url)).statusCode).toBe(200);
      expect(authenticate).not.toHaveBeenCalled();
    });

    it('sets the user of the request', async () => {
      const response = await get('/closed');
      expect(response.json()).toEqual({ user: PRINCIPAL });
      expect(response.headers.vary).toContain('X-API-Key');
      expect(authenticate.mock.calls[0]?.[0]).toMatchObject({ 'x-api-key': 'k' });
      expect(clients()).toEqual([]);
    });

    it('refuses with the problem and the challenge, and counts the attempt by its address', async () => {
      authenticate.mockResolvedValue({
        authenticated: false,
        problem: PROBLEMS.invalidApiKey,
        challenge: 'ApiKey realm="a"',
      });
      const response = await get('/closed');
      expect([response.statusCode, response.json()]).toEqual([401, expect.objectContaining({ code: 'invalid-credentials' })]); // prettier-ignore
      expect(response.headers['www-authenticate']).toBe('ApiKey realm="a"');
      expect(clients()).toEqual(['refused 127.0.0.1']);
      expect(failed).not.toHaveBeenCalled();
    });

    it('refuses before verification where the failed authentications of the address are used up', async () => {
      authenticate.mockImplementation(async (_, beforeVerification) => {
        await beforeVerification();
        return { authenticated: true, principal: PRINCIPAL };
      });
      refuseUsedUp.mockRejectedValue(new ProblemException(PROBLEMS.rateLimitExceeded));
      expect((await get('/closed')).statusCode).toBe(429);
      expect(refuseUsedUp.mock.calls.map(([client]) => client)).toEqual(['refused 127.0.0.1']);
      expect(clients()).toEqual([]);
    });

    it('refuses a client without the scope, and counts the attempt as its own', async () => {
      authenticate.mockResolvedValue({
        authenticated: false,
        problem: PROBLEMS.insufficientScope,
        challenge: 'Bearer error="insufficient_scope"',
        principal: PRINCIPAL,
      });
      const response = await get('/closed');
      expect([response.statusCode, response.json()]).toEqual([403, expect.objectContaining({ code: 'insufficient-scope' })]); // prettier-ignore
      expect(clients()).toEqual(['subject a']);
    });

    it.each([
      [0, '1'],
      [1001, '2'],
    ])(
      'responds with 503 while the keys are unavailable, for %d ms: Retry-After is %s',
      async (retryAfterMs, seconds) => {
        authenticate.mockResolvedValue({ authenticated: false, problem: PROBLEMS.keysUnavailable, retryAfterMs });
        const response = await get('/closed');
        expect([response.statusCode, response.headers['retry-after']]).toEqual([503, seconds]);
        expect(failed.mock.calls).toEqual([['keys']]);
        expect(clients()).toEqual(['address 127.0.0.1']);
      },
    );
  });

  describe('RateLimitGuard', () => {
    it('counts requests by the user, after authentication', async () => {
      await start(AuthenticationGuard, RateLimitGuard);
      await get('/closed');
      expect(clients()).toEqual(['subject a']);
    });

    it('counts requests by the address without a user, and none of public routes', async () => {
      await start(RateLimitGuard);
      for (const url of ['/closed', '/open', '/public']) expect((await get(url)).statusCode).toBe(200);
      expect(clients()).toEqual(['address 127.0.0.1']);
    });
  });
});
