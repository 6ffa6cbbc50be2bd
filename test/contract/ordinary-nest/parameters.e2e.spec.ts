import {
  Controller,
  DefaultValuePipe,
  Get,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  ParseIntPipe,
  Query,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
  type Provider,
  type Type as ClassOf,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Validate,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { createTestingApp } from '../../support/testing-app';
import { ParametersPipe } from '../../../src/http/parameters/parameters.pipe';
import { QueryResultInterceptor } from '../../../src/shipping/http/query-result.interceptor';
import { COMPLETE } from '../../../src/shipping/model/query-result';
import { PAGE_NUMBER_MESSAGE } from '../../support/expectations';
import { sentParameters, STRICT } from '../../support/operations';
import { json } from '../../support/upstream/responses';
import { ScriptedUpstream } from '../../support/upstream/scripted-upstream';

const CARRIERS = 'carriers';

/** A rule with a dependency of the team's module. */
@Injectable()
@ValidatorConstraint({ name: 'carrier', async: true })
class CarrierRule implements ValidatorConstraintInterface {
  constructor(@Inject(CARRIERS) private readonly carriers: readonly string[]) {}

  validate(value: unknown): Promise<boolean> {
    return Promise.resolve(this.carriers.includes(String(value)));
  }

  defaultMessage(): string {
    return `must be one of ${this.carriers.join(', ')}`;
  }
}

class TeamParams {
  @Type(() => Number)
  @IsInt()
  @Max(9)
  page = 1;

  @IsString()
  q: string;
}

class CarrierParams {
  @IsOptional()
  @Validate(CarrierRule)
  Carrier?: string;

  @Transform(({ value }) => value === true || value === 'true')
  @IsBoolean()
  Active = false;

  @IsOptional()
  @IsIn(['a', 'b'], { each: true })
  Tags?: string[];
}

class NumberParams {
  @Type(() => Number)
  @IsInt({ message: 'must be a number' })
  number: number;
}

const VALIDATION = { transform: true, whitelist: true };
const PAGE = { items: [], totalCount: 3, pageNumber: 2, pageSize: 1, totalPages: 3, hasPreviousPage: true, hasNextPage: true }; // prettier-ignore

@Controller('api/team')
@UseInterceptors(QueryResultInterceptor)
class TeamController {
  @Get('name')
  name(@Query('page') page: unknown): object {
    return { page };
  }

  @Get('integer')
  integer(@Query('page', new DefaultValuePipe(7), ParseIntPipe) page: number): object {
    return { page };
  }

  @Get('validated')
  validated(@Query(new ValidationPipe(VALIDATION)) params: TeamParams): object {
    return params;
  }

  @Get('plain')
  plain(@Query() query: object): object {
    return query;
  }

  @Get('bound')
  bound(@Query(ParametersPipe) params: TeamParams): object {
    return { ...params, instance: params instanceof TeamParams };
  }

  @Get('carriers')
  carriers(@Query(ParametersPipe) params: CarrierParams): object {
    return params;
  }

  @Get('numbers/:number')
  number(@Param(ParametersPipe) params: NumberParams): object {
    return params;
  }

  @Get('pages/:carrier')
  page(): object {
    return { body: PAGE, completeness: COMPLETE };
  }

  @Get('body')
  body(): object {
    return { body: 1, completeness: 'high', totalPages: 2 };
  }

  @Get('nothing')
  nothing(): null {
    return null;
  }
}

const RULES: Provider[] = [CarrierRule, { provide: CARRIERS, useValue: ['DHL', 'UPS'] }];

@Module({ controllers: [TeamController], providers: RULES })
class TeamModule {}

/** Makes objects anew, as a pipe that trims texts does. */
class CopyingPipe implements PipeTransform {
  transform(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? Object.assign(Object.create(Object.getPrototypeOf(value) as object) as object, value) : value; // prettier-ignore
  }
}

let upstream: ScriptedUpstream;
let app: NestFastifyApplication | undefined;

beforeAll(async () => {
  upstream = await ScriptedUpstream.start();
});
afterAll(() => upstream.close());

async function start(module: ClassOf, ...globalPipes: PipeTransform[]): Promise<NestFastifyApplication> {
  app = await createTestingApp({ env: { EXTERNAL_SHIPPING_BASE_URL: upstream.url }, imports: [module as never] });
  app.useGlobalPipes(...globalPipes);
  return app.init();
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await app?.inject({ url, headers });
  const { statusCode = 0, body = '', headers: received = {} } = response ?? {};
  return { status: statusCode, body: /^[[{]/.test(body) ? (JSON.parse(body) as unknown) : body, headers: received };
}

const ignoredIn = ({ headers }: Answer): unknown => headers['shipping-ignored-parameters'];

describe('parameters of a team, as the documentation of Nest says', () => {
  beforeAll(() => start(TeamModule));
  afterAll(() => app?.close());

  it.each([
    ['name?page=2', 200, { page: '2' }],
    ['name?page=1&page=2', 200, { page: ['1', '2'] }],
    ['name', 200, {}],
    ['integer?page=3', 200, { page: 3 }],
    ['integer', 200, { page: 7 }],
    ['integer?page=x', 400, { code: 'bad-request' }],
    ['validated?q=a&page=2&other=1', 200, { page: 2, q: 'a' }],
    ['validated?q=a', 200, { page: 1, q: 'a' }],
    ['validated?q=a&page=abc', 400, { code: 'bad-request' }],
    ['validated?page=2', 400, { code: 'bad-request' }],
    ['plain?page=2&a=1&a=%zz', 200, { page: '2', a: ['1', '%zz'] }],
    ['plain', 200, {}],
  ])('%s is %i', async (url, status, body) => {
    expect(await get(`/api/team/${url}`)).toMatchObject({ status, body });
  });

  it.each([
    ['bound?PAGE=+3+&Q=a', 200, { page: 3, q: 'a', instance: true }],
    ['bound?q=a', 200, { page: 1, q: 'a', instance: true }],
    ['carriers?carrier=UPS&active=true&tags=a&tags=b', 200, { Carrier: 'UPS', Active: true, Tags: ['a', 'b'] }],
    ['carriers?active=false', 200, { Active: false }],
    ['numbers/7', 200, { number: 7 }],
  ])('%s is bound by ParametersPipe', async (url, status, body) => {
    expect(await get(`/api/team/${url}`)).toEqual(expect.objectContaining({ status, body }));
  });

  it.each([
    ['bound?page=10&q=a', { page: 'must not be greater than 9' }],
    ['bound?page=abc&q=a', { page: 'must not be greater than 9' }],
    ['bound?page=2', { q: 'must be a string' }],
    ['bound?q=a&Q=a', { q: 'is given more than once' }],
    ['carriers?carrier=x', { Carrier: 'must be one of DHL, UPS' }],
    ['numbers/x', { number: 'must be a number' }],
  ])('%s is refused by ParametersPipe', async (url, faults) => {
    const errors = Object.entries(faults).map(([parameter, message]) => ({ parameter, message }));
    expect(await get(`/api/team/${url}`)).toMatchObject({ status: 400, body: { code: 'invalid-parameters', errors } });
  });

  it('D2 D38 unknown parameters are named as ignored, and refused for strict clients', async () => {
    expect(ignoredIn(await get('/api/team/bound?q=a&pages=1'))).toBe('"pages";did-you-mean="page"');
    expect(await get('/api/team/bound?q=a&pages=1', STRICT)).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'pages' }] },
    });
  });
});

@Injectable()
class ReplacingGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    execution.switchToHttp().getRequest<FastifyRequest>().query = { page: '3', q: ['a'], other: '1' };
    return true;
  }
}

class ReplacedParams extends TeamParams {}

@Controller('replaced')
@UseGuards(ReplacingGuard)
class ReplacedController {
  @Get()
  replaced(@Query(ParametersPipe) params: ReplacedParams): object {
    return params;
  }
}

@Module({ controllers: [ReplacedController] })
class ReplacingModule {}

describe('a query that a guard has replaced', () => {
  beforeAll(() => start(ReplacingModule));
  afterAll(() => app?.close());

  it('is bound', async () => {
    expect(await get('/replaced?page=x')).toMatchObject({ status: 200, body: { page: 3, q: 'a' } });
  });
});

@Module({ controllers: [TeamController], providers: RULES })
class MiddlewareModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const showQuery = ({ query }: { query?: object }, response: ServerResponse, next: () => void): void => {
      response.setHeader('Seen', JSON.stringify(query));
      next();
    };
    consumer.apply(showQuery).forRoutes('*path');
  }
}

describe('middleware of a team', () => {
  beforeAll(() => start(MiddlewareModule));
  afterAll(() => app?.close());

  it.each([
    ['/api/team/name?page=2&page=3&x=%2B', { page: ['2', '3'], x: '+' }],
    ['/nowhere?x=1', { x: '1' }],
  ])('gets the query of %s as an object', async (url, query) => {
    expect(JSON.parse(String((await get(url)).headers.seen))).toEqual(query);
  });

  it('D40 sees no request that is refused', async () => {
    const { status, headers, body } = await get('/api/team/%zz?page=2');
    expect([status, headers.seen, body]).toMatchObject([400, undefined, { instance: '/api/team/%25zz' }]);
  });
});

describe('results of a team', () => {
  beforeAll(() => start(TeamModule));
  afterAll(() => app?.close());

  it('D20 D23 a QueryResult becomes headers and body, its links lead to the route', async () => {
    const { body, headers } = await get('/api/team/pages/a%20%3E%22?PageNumber=2&q=1');
    expect(body).toEqual(PAGE);
    expect(headers['shipping-completeness']).toBe('complete');
    expect(headers.link).toContain('</api/team/pages/a%20%3E%22?PageNumber=3&q=1>; rel="next"');
  });

  it.each([
    ['body', { body: 1, completeness: 'high', totalPages: 2 }],
    ['nothing', 'null'],
  ])('another result stays: %s', async (url, body) => {
    const response = await get(`/api/team/${url}`);
    expect(response).toMatchObject({ status: 200, body });
    expect(response.headers).not.toHaveProperty('shipping-completeness');
    expect(response.headers).not.toHaveProperty('link');
  });
});

const STRICTEST = new ValidationPipe({ ...VALIDATION, forbidNonWhitelisted: true });

@Module({ controllers: [TeamController], providers: [...RULES, { provide: APP_PIPE, useValue: STRICTEST }] })
class ModuleWithPipe {}

const OPERATIONS = '/api/Shipping/';
const PAGED = `${OPERATIONS}GetShippingPagedList`;

describe.each<[string, ClassOf, PipeTransform[]]>([
  ['APP_PIPE of a module', ModuleWithPipe, []],
  ['useGlobalPipes', TeamModule, [STRICTEST]],
  ['useGlobalPipes, without transformation', TeamModule, [new ValidationPipe({ whitelist: true })]],
  [
    'useGlobalPipes, with implicit conversion',
    TeamModule,
    [new ValidationPipe({ ...VALIDATION, transformOptions: { enableImplicitConversion: true } })],
  ],
  ['useGlobalPipes, a pipe that copies', TeamModule, [new CopyingPipe(), STRICTEST]],
])('with a global pipe: %s', (_, module, pipes) => {
  beforeAll(() => start(module, ...pipes));
  beforeEach(() => {
    upstream.reset();
    upstream.respondWith(json());
  });
  afterAll(() => app?.close());

  it('D1 D3 D6 D8 the operations bind as ever', async () => {
    const query = 'pagenumber=+2+&STATUS=intransit&FromDate=2026-01-01&ToDate=2026-01-02&SortBy=status&colour=red';
    const response = await get(`${PAGED}?${query}`);
    expect(response.status).toBe(200);
    expect(ignoredIn(response)).toBe('"colour"');
    expect(Object.fromEntries(sentParameters(upstream))).toEqual({
      PageNumber: '2',
      PageSize: '10',
      Status: 'InTransit',
      FromDate: '2026-01-01T00:00:00.000Z',
      ToDate: '2026-01-02T23:59:59.999Z',
      SortBy: 'Status',
      SortDirection: 'desc',
    });
  });

  it.each([
    [`${PAGED}?PageNumber=0&colour=red`, {}, PAGE_NUMBER_MESSAGE],
    [`${PAGED}?Status=x`, {}, { errors: [{ parameter: 'Status' }] }],
    [`${PAGED}?OrderId=a&orderid=b`, {}, { errors: [{ parameter: 'OrderId', message: 'is given more than once' }] }],
    [`${PAGED}?colour=red`, STRICT, { errors: [{ parameter: 'colour' }] }],
    [`${OPERATIONS}GetShippingSingle`, {}, { errors: [{ parameter: 'Id' }] }],
    [`${OPERATIONS}GetShippingInfoById/-x`, {}, { errors: [{ parameter: 'id' }] }],
    [`${OPERATIONS}GetShippingInfoById/SHP-1?a=1`, STRICT, { errors: [{ parameter: 'a' }] }],
  ])('D2 D4 D15 %s is refused as ever', async (url, headers, body) => {
    const response = await get(url, headers);
    if (typeof body === 'string') expect(response).toMatchObject({ status: 400, body });
    else expect(response).toMatchObject({ status: 400, body: { code: 'invalid-parameters', ...body } });
    expect(upstream.calls).toEqual([]);
  });

  it.each(['GetShippingSingle?id=SHP-1', 'GetShippingInfoById/SHP-1?a=1', 'GetShippingDetails?limit=50&a=1'])(
    '%s is answered as ever',
    async (request) => {
      expect((await get(OPERATIONS + request)).status).toBe(200);
    },
  );

  it.each([
    ['carriers?carrier=UPS&active=true&tags=a', { Carrier: 'UPS', Active: true, Tags: 'a' }],
    ['numbers/7', { number: 7 }],
  ])('%s of the team is bound', async (url, body) => {
    expect(await get(`/api/team/${url}`)).toMatchObject({ status: 200, body });
  });
});

class Empty {
  @Type(() => Number)
  page = 1;
}

class Nested {
  @ValidateNested()
  inner?: object;
}

class Injected {
  @Validate(CarrierRule)
  Carrier?: string;
}

const ROUTES: Readonly<Record<string, [ClassOf<unknown>, ParameterDecorator]>> = {
  'Empty has no parameters: no property has a decorator of class-validator': [Empty, Query(ParametersPipe)],
  'Nested.inner: a parameter is a text, without nested rules': [Nested, Query(ParametersPipe)],
  'Injected.Carrier: CarrierRule is not a provider of any module': [Injected, Param(ParametersPipe)],
  'Refused.route: ParametersPipe binds @Query() or @Param() to a class': [String, Query('page', ParametersPipe)],
};

describe('what ParametersPipe cannot bind', () => {
  it.each([
    ...Object.entries(ROUTES),
    ['Refused.route: ParametersPipe binds', [Object, Query(ParametersPipe)]] as const,
  ])('stops the start: %s', async (message, [type, decorator]) => {
    class Refused {
      route(): this {
        return this;
      }
    }
    const { prototype } = Refused;
    Get('refused')(prototype, 'route', Object.getOwnPropertyDescriptor(prototype, 'route') ?? {});
    decorator(prototype, 'route', 0);
    Reflect.defineMetadata('design:paramtypes', [type], prototype, 'route');
    Controller('team')(Refused);
    class RefusedModule {}
    Module({ controllers: [Refused] })(RefusedModule);
    await expect(start(RefusedModule)).rejects.toThrow(message);
    await app?.close();
  });
});
