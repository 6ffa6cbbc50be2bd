import {
  Controller,
  Get,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type PipeTransform,
  Query,
  type Type as ClassOf,
  ValidationPipe,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiPropertyOptional, type OpenAPIObject, PickType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { ArrayMaxSize, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, ValidateBy } from 'class-validator';
import type { ServerResponse } from 'node:http';
import { PathParameters, QueryParameters } from '../../../src/http/parameters/query-parameters.pipe';
import {
  linkPages,
  type QueryContext,
  ShippingContext,
  stateCompleteness,
} from '../../../src/shipping/model/query-context';
import { COMPLETE } from '../../../src/shipping/model/query-result';
import { RequiredText } from '../../../src/shipping/queries/shared/parameters';
import { createTestingApp } from '../../../testing/testing-app';
import { useUpstream } from '../../support/started';

class TeamParams {
  @Type(() => Number)
  @IsInt()
  @Max(9)
  page = 1;

  @IsString()
  q: string;
}

/** A rule that has to be awaited, such as for a look-up. */
const carrierRule = {
  validate: (value: unknown) => Promise.resolve(['DHL', 'UPS'].includes(String(value))),
  defaultMessage: () => 'must be one of DHL, UPS',
};
const IsCarrier = (): PropertyDecorator => ValidateBy({ name: 'carrier', async: true, validator: carrierRule });

class CarrierParams {
  @IsOptional()
  @IsCarrier()
  Carrier?: string;

  @Transform(({ value }) => value === 'true')
  @IsBoolean()
  Active = false;

  @RequiredText(3, 'Code of the carrier.', 'DHL')
  Code: string;
}

class PageParams {
  @IsOptional()
  PageNumber?: string;

  @IsOptional()
  q?: string;

  @IsOptional()
  tags?: string[];
}

const MODES = ['air', 'sea'];

class SearchParams {
  @IsOptional()
  @IsString({ each: true })
  @ArrayMaxSize(3)
  tags?: string[];

  @ApiPropertyOptional({ enum: MODES })
  @IsOptional()
  @IsIn(MODES)
  mode?: string;

  @IsOptional()
  @Type(() => Date)
  since?: Date;
}

class TagParams extends PickType(SearchParams, ['tags']) {}

class NumberParams {
  @Type(() => Number)
  @IsInt({ message: 'must be a number' })
  number: number;
}

const VALIDATION = { transform: true, whitelist: true };
const PAGING = { totalCount: 3, pageNumber: 2, pageSize: 1, totalPages: 3 };
const PAGE = { items: [], ...PAGING, hasPreviousPage: true, hasNextPage: true };

@Controller('api/team')
class TeamController {
  @Get('plain')
  plain(@Query() query: object): object {
    return query;
  }

  @Get('bound')
  bound(@QueryParameters() params: TeamParams): object {
    return { ...params, instance: params instanceof TeamParams };
  }

  @Get('carriers')
  carriers(@QueryParameters() params: CarrierParams): object {
    return params;
  }

  @Get('search')
  search(@QueryParameters() params: SearchParams): object {
    return params;
  }

  @Get('tags')
  tags(@QueryParameters() params: TagParams): object {
    return params;
  }

  @Get('numbers/:number')
  number(@PathParameters() params: NumberParams): object {
    return params;
  }

  @Get('pages/:carrier')
  page(@QueryParameters() _: PageParams, @ShippingContext() context: QueryContext): object {
    linkPages(context, { body: PAGE, completeness: COMPLETE });
    stateCompleteness(context, COMPLETE);
    return PAGE;
  }
}

@Module({ controllers: [TeamController] })
class TeamModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const showQuery = ({ query }: { query?: object }, response: ServerResponse, next: () => void): void => {
      response.setHeader('Seen', JSON.stringify(query));
      next();
    };
    consumer.apply(showQuery).forRoutes('*path');
  }
}

/** Makes objects anew, as a pipe that trims texts does. */
class CopyingPipe implements PipeTransform {
  transform(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? { ...value } : value;
  }
}

const upstream = useUpstream();
let app: NestFastifyApplication | undefined;

async function start(module: ClassOf, ...globalPipes: PipeTransform[]): Promise<void> {
  app = await createTestingApp({ env: { EXTERNAL_SHIPPING_BASE_URL: upstream().url }, imports: [module] });
  app.useGlobalPipes(...globalPipes);
  await app.init();
}

interface InjectedResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function get(url: string, headers: Record<string, string> = {}): Promise<InjectedResponse> {
  const response = await app?.inject({ url, headers });
  const { statusCode = 0, body = '', headers: received = {} } = response ?? {};
  return { status: statusCode, body: /^[[{]/.test(body) ? (JSON.parse(body) as unknown) : body, headers: received };
}

const ignoredIn = ({ headers }: InjectedResponse): unknown => headers['shipping-ignored-parameters'];

describe('parameters of a team', () => {
  beforeAll(() => start(TeamModule));
  afterAll(() => app?.close());

  it('as Nest has them where nothing binds them', async () => {
    const body = { page: '2', a: ['1', '%zz'] };
    expect(await get('/api/team/plain?page=2&a=1&a=%zz')).toMatchObject({ status: 200, body });
  });

  it.each([
    ['bound?PAGE=+3+&Q=a', { page: 3, q: 'a', instance: true }],
    ['carriers?carrier=UPS&active=true&code=ups', { Carrier: 'UPS', Active: true, Code: 'ups' }],
    ['search?tags=a&TAGS=b&tags%5B%5D=+c', { tags: ['a', 'b', 'c'] }],
    ['tags?tags=a', { tags: ['a'] }],
    ['numbers/7', { number: 7 }],
  ])('%s is bound', async (url, body) => {
    expect(await get(`/api/team/${url}`)).toMatchObject({ status: 200, body });
  });

  it.each([
    ['bound?page=10&q=a', { page: 'must not be greater than 9' }],
    ['bound?page=x&q=a', { page: 'must be an integer number' }],
    ['search?tags=a&tags=%00', { tags: 'must not contain control characters' }],
    ['search?tags=a&tags=b&tags=c&tags=d', { tags: 'must contain no more than 3 elements' }],
    ['search?mode=air&mode=sea', { mode: 'is given more than once' }],
    ['bound?page=2', { q: 'must be a string' }],
    ['carriers?carrier=x&code=x', { Carrier: 'must be one of DHL, UPS' }],
    ['carriers?code=+', { Code: 'is missing' }],
    ['numbers/x', { number: 'must be a number' }],
  ])('%s is refused', async (url, faults) => {
    const errors = Object.entries(faults).map(([parameter, message]) => ({ parameter, message }));
    expect(await get(`/api/team/${url}`)).toMatchObject({ status: 400, body: { code: 'invalid-parameters', errors } });
  });

  it.each([
    ['/api/team/plain?page=2&page=3&x=%2B', { page: ['2', '3'], x: '+' }],
    ['/nowhere?x=1', { x: '1' }],
  ])('middleware gets: %s', async (url, query) => {
    expect(JSON.parse(String((await get(url)).headers.seen))).toEqual(query);
  });

  it('D20 D23 the links of a page lead to the route', async () => {
    const { body, headers } = await get('/api/team/pages/a%20%3E;,?PageNumber=2&Q=1&key=secret&tags=a&tags=%26');
    expect(body).toEqual(PAGE);
    expect(headers['shipping-completeness']).toBe('complete');
    expect(headers.link).toContain('</api/team/pages/a%20%3E%3B%2C?PageNumber=3&q=1&tags=a&tags=%26>; rel="next"');
  });

  it('D83 the document has them, also those that have rules alone', async () => {
    const { paths } = (await get('/openapi.json')).body as OpenAPIObject;
    const documented = (path: string): unknown => paths[`/api/team/${path}`]?.get?.parameters;
    const query = { in: 'query', required: false };
    expect(documented('search')).toEqual([
      { ...query, name: 'mode', schema: { type: 'string', enum: MODES } },
      { ...query, name: 'tags', style: 'form', explode: true, schema: { type: 'array', items: { type: 'string' } } },
      { ...query, name: 'since', schema: { type: 'string', format: 'date-time' } },
    ]);
    expect(documented('bound')).toEqual([
      { ...query, name: 'page', schema: { type: 'number' } },
      { ...query, name: 'q', required: true, schema: { type: 'string' } },
    ]);
  });
});

const STRICTEST = new ValidationPipe({ ...VALIDATION, forbidNonWhitelisted: true });

@Module({ controllers: [TeamController], providers: [{ provide: APP_PIPE, useValue: STRICTEST }] })
class ModuleWithPipe {}

const CONVERTING = new ValidationPipe({ ...VALIDATION, transformOptions: { enableImplicitConversion: true } });
const CUSTOM = new ValidationPipe({ ...VALIDATION, forbidNonWhitelisted: true, validateCustomDecorators: true });

describe.each<[string, ClassOf, PipeTransform[]]>([
  ['APP_PIPE of a module', ModuleWithPipe, []],
  ['useGlobalPipes, with implicit conversion', TeamModule, [CONVERTING]],
  ['useGlobalPipes, with validation of custom decorators', TeamModule, [CUSTOM]],
  ['useGlobalPipes, a pipe that copies', TeamModule, [new CopyingPipe(), STRICTEST]],
])('with a global pipe: %s', (_, module, pipes) => {
  beforeAll(() => start(module, ...pipes));
  afterAll(() => app?.close());

  it('D1 D3 D6 D8 the operations bind as ever', async () => {
    const query = 'pagenumber=+2+&STATUS=intransit&FromDate=2026-01-01&ToDate=2026-01-02&SortBy=status&colour=red';
    const response = await get(`/api/Shipping/GetShippingPagedList?${query}`);
    expect([response.status, ignoredIn(response)]).toEqual([200, '"colour"']);
    expect(Object.fromEntries(upstream().calls[0]?.params ?? [])).toEqual({
      PageNumber: '2',
      PageSize: '10',
      Status: 'InTransit',
      FromDate: '2026-01-01T00:00:00.000Z',
      ToDate: '2026-01-02T23:59:59.999Z',
      SortBy: 'Status',
      SortDirection: 'desc',
    });
  });

  it('D83 parameters of a team bind as ever', async () => {
    expect(await get('/api/team/bound?page=3&q=+a')).toMatchObject({ body: { page: 3, q: 'a', instance: true } });
    expect(await get('/api/team/bound?page=10&q=a')).toMatchObject({ body: { errors: [{ parameter: 'page' }] } });
    expect(await get('/api/team/numbers/7')).toMatchObject({ status: 200, body: { number: 7 } });
    expect(await get('/api/team/numbers/x')).toMatchObject({ status: 400, body: { code: 'invalid-parameters' } });
  });
});
