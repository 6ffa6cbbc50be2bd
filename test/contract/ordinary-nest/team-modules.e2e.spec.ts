import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { FastifyReply, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { TeamModule } from '../../../examples/team/team.module';
import { sendProblem } from '../../../src/http/problems/problem.filter';
import { ExternalShippingGateway } from '../../../src/shipping/gateway/external-shipping.gateway';
import { KeyServer } from '../../../testing/key-server';
import { createTestingApp } from '../../../testing/testing-app';
import { useStarted } from '../../support/started';

let events: string[] = [];
const record = (event: string): void => {
  events.push(event);
};

class TeamError extends Error {}

@Catch(TeamError)
class TeamFilter implements ExceptionFilter {
  catch(_: TeamError, host: ArgumentsHost): void {
    record('filter');
    const problem = { status: 409, code: 'team-conflict', detail: 'The team says no.' };
    sendProblem(host.switchToHttp().getResponse<FastifyReply>(), problem);
  }
}

const guard = {
  canActivate: (execution: ExecutionContext) => {
    const { user } = execution.switchToHttp().getRequest<FastifyRequest>();
    record(user === undefined ? 'guard without user' : 'guard with user');
    return true;
  },
};
const interceptor = {
  intercept: (_: ExecutionContext, next: CallHandler) => {
    record('interceptor');
    return next.handle();
  },
};
@Controller('recorded')
class RecordingController {
  @Get(':id')
  fail(@Param('id') id: string): never {
    record(`handler ${id}`);
    throw new TeamError();
  }
}

@Module({
  controllers: [RecordingController],
  providers: [
    { provide: APP_GUARD, useValue: guard },
    { provide: APP_INTERCEPTOR, useValue: interceptor },
    { provide: APP_FILTER, useClass: TeamFilter },
  ],
})
class RecordingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const middleware = (_: unknown, __: unknown, next: () => void): void => {
      record('middleware');
      next();
    };
    consumer.apply(middleware).forRoutes('*path');
  }
}

describe('modules of a team', () => {
  const keyServer = useStarted(() => KeyServer.start());
  const app = useStarted(async () => {
    const gateway = {
      record: () => {
        record('gateway');
        throw new TeamError();
      },
    };
    const created = await createTestingApp({
      env: { ...keyServer().env, RATE_LIMIT_MAX: '5' },
      imports: [TeamModule, RecordingModule],
      configure: (builder) => builder.overrideProvider(ExternalShippingGateway).useValue(gateway),
    });
    return created.init();
  });
  beforeEach(() => {
    events = [];
  });

  const get = async (url: string, claims?: Record<string, unknown>): Promise<LightMyRequestResponse> => {
    const headers = claims && { authorization: `Bearer ${await keyServer().sign(claims)}` };
    return app().inject({ url, headers });
  };
  const codeOf = (response: LightMyRequestResponse): unknown => [
    response.statusCode,
    response.json<{ code?: string }>().code,
  ];

  it.each([
    ['/recorded/1', [409, 'team-conflict'], ['handler 1', 'filter']],
    ['/api/Shipping/GetShippingInfoById/SHP-1', [409, 'team-conflict'], ['gateway', 'filter']],
    ['/api/Shipping/GetShippingInfoById/-', [400, 'invalid-parameters'], []],
  ])('in order: %s', async (url, code, last) => {
    expect(codeOf(await get(url, { sub: url }))).toEqual(code);
    expect(events).toEqual(['middleware', 'guard with user', 'interceptor', ...last]);
  });

  it('D76 their routes are closed unless they are public', async () => {
    expect((await get('/team/status')).json()).toEqual({ status: 'ok' });
    for (const url of ['/team/me', '/TEAM/me/']) {
      const refused = await get(url);
      expect(codeOf(refused)).toEqual([401, 'authentication-required']);
      expect(refused.headers['www-authenticate']).toBe('Bearer realm="shipping-query-service"');
    }
    expect(codeOf(await get('/team/me', { scope: 'other' }))).toEqual([403, 'forbidden']);
    expect((await get('/team/me', { scope: 'team:read' })).json()).toEqual({ subject: 'somebody' });
  });

  it('their routes have headers, HEAD, 405 and the rate limit', async () => {
    const claims = { scope: 'team:read', sub: 'limited' };
    for (const left of [4, 3, 2, 1, 0]) {
      const { headers } = await get('/team/me', claims);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', ratelimit: expect.stringContaining(`r=${left}`) });
      expect(headers['x-request-id']).toMatch(/\S/);
    }
    expect(codeOf(await get('/team/me', claims))).toEqual([429, 'rate-limit-exceeded']);
    expect((await app().inject({ method: 'POST', url: '/team/me' })).statusCode).toBe(405);
    expect((await app().inject({ method: 'HEAD', url: '/team/status' })).headers['content-length']).toBe('15');
  });
});
