import {
  Catch,
  Controller,
  ForbiddenException,
  Get,
  Injectable,
  Module,
  Param,
  Req,
  SetMetadata,
  UnauthorizedException,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type MiddlewareConsumer,
  type NestInterceptor,
  type NestMiddleware,
  type NestModule,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tap, type Observable } from 'rxjs';
import { Public } from '../../src/common/public.decorator';
import { sendProblem } from '../../src/http/problems/problem.filter';
import { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import { COMPLETE } from '../../src/shipping/model/query-result';
import { fakeGateway } from '../support/handlers';
import { bearer, KeyServer } from '../support/key-server';
import { createTestingApp, type TestingAppOptions } from '../support/testing-app';

const KEY = 'an-api-key-0123456789';

const KEYS = { AUTH_API_KEYS_SHA256: createHash('sha256').update(KEY).digest('hex') };
const AUTHENTICATED = { 'x-api-key': KEY };
const DETAILS = '/api/Shipping/GetShippingDetails';

let events: string[] = [];
const record = (event: string): void => {
  events.push(event);
};

@Injectable()
class RecordingMiddleware implements NestMiddleware {
  use(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    record(`middleware ${String(request.method)}`);
    response.setHeader('X-Team', 'a');
    next();
  }
}

@Injectable()
class RecordingInterceptor implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    record('interceptor before');
    return next.handle().pipe(tap(() => { record('interceptor after'); })); // prettier-ignore
  }
}

const RequiredScope = (scope: string): MethodDecorator & ClassDecorator => SetMetadata('scope', scope);

/** A guard as in the documentation of Nest: metadata of the route against the user of the request. */
@Injectable()
class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(execution: ExecutionContext): boolean {
    const { user } = execution.switchToHttp().getRequest<FastifyRequest>();
    record(`guard ${user === undefined ? 'without user' : 'with user'}`);
    const scope = this.reflector.getAllAndOverride<string | undefined>('scope', [
      execution.getHandler(),
      execution.getClass(),
    ]);
    return scope === undefined || user?.scopes.includes(scope) === true;
  }
}

class TeamError extends Error {}

@Catch(TeamError)
class TeamFilter implements ExceptionFilter {
  catch(_: TeamError, host: ArgumentsHost): void {
    record('filter');
    const problem = { status: 409, code: 'team-conflict', detail: 'The team says no.' };
    sendProblem(host.switchToHttp().getResponse<FastifyReply>(), problem);
  }
}

@Injectable()
class RecordingPipe implements PipeTransform {
  transform(value: unknown): unknown {
    record('pipe');
    return value;
  }
}

@Controller('team')
class TeamController {
  @Get('closed')
  closed(@Req() { user }: FastifyRequest): object {
    return { user: user?.id ?? null };
  }

  @Public()
  @Get('open')
  open(): object {
    return { open: true };
  }

  @Get('forbidden')
  forbidden(): never {
    throw new ForbiddenException('Not you');
  }

  @Public()
  @Get('unauthorized')
  unauthorized(): never {
    throw new UnauthorizedException('Not today');
  }

  @RequiredScope('team:read')
  @Get('scoped')
  scoped(): object {
    return { scoped: true };
  }

  @Get('conflict/:id')
  conflict(@Param('id', RecordingPipe) id: string): never {
    record(`handler ${id}`);
    throw new TeamError();
  }
}

@Module({
  controllers: [TeamController],
  providers: [
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_INTERCEPTOR, useClass: RecordingInterceptor },
    { provide: APP_FILTER, useClass: TeamFilter },
  ],
})
class TeamModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(RecordingMiddleware).forRoutes('*path');
  }
}

describe('a module of a team', () => {
  let app: NestFastifyApplication | undefined;
  let keyServer: KeyServer | undefined;

  beforeEach(() => {
    events = [];
  });
  afterEach(async () => {
    await app?.close();
    await keyServer?.close();
    app = undefined;
    keyServer = undefined;
  });

  async function start(options: TestingAppOptions = {}, ...imports: Type[]): Promise<NestFastifyApplication> {
    app = await createTestingApp({ ...options, imports });
    return app.init();
  }
  const get = async (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> => {
    if (app === undefined) throw new Error('Start the application first');
    return app.inject({ url, headers });
  };
  const problemOf = async (url: string, headers = {}): Promise<[status: number, code: unknown]> => {
    const { statusCode, body } = await get(url, headers);
    return [statusCode, (JSON.parse(body) as { code?: unknown }).code];
  };

  it('has an interceptor around every route, those of the service too', async () => {
    await start({ overrides: [{ provide: ExternalShippingGateway, useValue: fakeGateway(() => ({ body: [], completeness: COMPLETE })).gateway }] }, TeamModule); // prettier-ignore
    for (const url of [DETAILS, '/team/open']) {
      events = [];
      expect((await get(url)).statusCode).toBe(200);
      expect(events).toEqual(expect.arrayContaining(['interceptor before', 'interceptor after']));
    }
  });

  it('has a middleware on the routes of its consumer', async () => {
    await start({}, TeamModule);
    expect((await get('/team/open')).headers['x-team']).toBe('a');
    expect((await get('/health/live')).headers['x-team']).toBe('a');
    expect(events.filter((event) => event.startsWith('middleware'))).toEqual(['middleware GET', 'middleware GET']);
  });

  it('has a guard that reads metadata by Reflector, and the user of the request', async () => {
    keyServer = await KeyServer.start();
    await start({ env: keyServer.env }, TeamModule);
    const [allowed, refused] = [await keyServer.sign({ scope: 'team:read' }), await keyServer.sign({ scope: 'other' })];
    expect((await get('/team/scoped', lowerCased(bearer(allowed)))).statusCode).toBe(200);
    expect(await problemOf('/team/scoped', lowerCased(bearer(refused)))).toEqual([403, 'forbidden']);
    expect(events).toContain('guard with user');
  });

  it('has a controller outside of /api, closed unless it is public', async () => {
    await start({ env: KEYS }, TeamModule);
    expect(await problemOf('/team/closed')).toEqual([401, 'authentication-required']);
    expect((await get('/team/closed')).headers['www-authenticate']).toBe('ApiKey realm="shipping-query-service"');
    expect((await get('/team/closed', AUTHENTICATED)).json()).toEqual({ user: `key ${KEYS.AUTH_API_KEYS_SHA256}` });
    expect((await get('/team/open')).json()).toEqual({ open: true });
    expect((await get('/TEAM/closed/')).statusCode).toBe(401);
  });

  it('may throw the exceptions of Nest, which become problems', async () => {
    await start({ env: KEYS }, TeamModule);
    expect(await problemOf('/team/forbidden', AUTHENTICATED)).toEqual([403, 'forbidden']);
    expect(await problemOf('/team/unauthorized')).toEqual([401, 'authentication-required']);
  });

  it('has routes like all others: common headers, HEAD, 405 without credentials, and the rate limit', async () => {
    await start({ env: { ...KEYS, RATE_LIMIT_MAX: '2' } }, TeamModule);
    const response = await get('/team/closed', AUTHENTICATED);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', ratelimit: expect.stringContaining('r=1') });
    expect(response.headers['x-request-id']).toMatch(/\S/);
    expect((await app?.inject({ method: 'POST', url: '/team/closed' }))?.statusCode).toBe(405);
    expect((await app?.inject({ method: 'HEAD', url: '/team/open' }))?.headers['content-length']).toBe('13');
    await get('/team/closed', AUTHENTICATED);
    expect(await problemOf('/team/closed', AUTHENTICATED)).toEqual([429, 'rate-limit-exceeded']);
  });

  it('replaces a provider, such as the gateway', async () => {
    const { gateway, calls } = fakeGateway(() => ({ body: [], completeness: COMPLETE }));
    await start({ overrides: [{ provide: ExternalShippingGateway, useValue: gateway }] });
    const response = await get(`${DETAILS}?Limit=3`);
    expect([response.statusCode, response.json()]).toEqual([200, []]);
    expect(response.headers['shipping-completeness']).toBe('complete');
    expect(calls).toMatchObject([{ call: 'list', operation: 'details', parameters: { Limit: 3 } }]);
  });

  it('runs in the order middleware, authentication, guard, interceptor, pipe, handler, filter', async () => {
    const { gateway } = fakeGateway(() => {
      record('gateway');
      throw new TeamError();
    });
    const overrides = [{ provide: ExternalShippingGateway, useValue: gateway }];
    await start({ env: KEYS, overrides }, TeamModule);

    const before = ['middleware GET', 'guard with user', 'interceptor before'];
    expect(await problemOf('/team/conflict/1', AUTHENTICATED)).toEqual([409, 'team-conflict']);
    expect(events).toEqual([...before, 'pipe', 'handler 1', 'filter']);

    events = [];
    expect(await problemOf('/api/Shipping/GetShippingInfoById/SHP-1', AUTHENTICATED)).toEqual([409, 'team-conflict']);
    expect(events).toEqual([...before, 'gateway', 'filter']);

    // The pipe refuses before the handler.
    events = [];
    expect(await problemOf('/api/Shipping/GetShippingInfoById/-', AUTHENTICATED)).toEqual([400, 'invalid-parameters']);
    expect(events).toEqual(before);
  });
});

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
