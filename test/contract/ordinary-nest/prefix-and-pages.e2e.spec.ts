import compress from '@fastify/compress';
import { Controller, Get, Post, Res, VersioningType } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApiBearerAuth,
  ApiProperty,
  ApiUnauthorizedResponse,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { AppModule } from '../../../src/app.module';
import { Public } from '../../../src/common/route-metadata';
import { SETTINGS, type Settings } from '../../../src/config/settings';
import type { Problem } from '../../../src/http/problems/problem-definitions';
import { LogDestination } from '../../../src/observability/logging/log-destination';
import type { Operation, ResponseObject } from '../../../src/openapi/problem-response';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { jobContext } from '../../../src/shipping/model/query-context';
import { GetShippingDetailsQuery } from '../../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { createTestingApp, type TestingAppOptions } from '../../../testing/testing-app';
import { freePort } from '../../support/free-port';
import { useApps } from '../../support/service';

/** The destination of the service itself, which writes nothing: `createTestingApp` has another one. */
const quiet = (): LogDestination => Object.assign(new LogDestination(new Registry()), { write: () => undefined });

class Parcel {
  @ApiProperty()
  instance: string;

  @ApiProperty({ example: 'one' })
  summary: string;
}

@Controller()
class TeamController {
  @Get()
  root(): string {
    return 'of the team';
  }

  @Public()
  @Get('api/parcels/open')
  open(): Parcel {
    return { instance: 'a', summary: 'b' };
  }

  @ApiBearerAuth()
  @ApiUnauthorizedResponse({ description: 'Ask the team', type: Parcel })
  @Post('parcels')
  getShippingDetails(): string {
    return 'created';
  }

  @Get('parcels/policy')
  policy(@Res({ passthrough: true }) reply: FastifyReply): string {
    reply.header(POLICY, OWN_POLICY);
    return 'page';
  }
}

@Controller({ path: 'parcels', version: ['1', '2'] })
class VersionedController {
  @Get()
  find(): string {
    return 'found';
  }
}

const team = { module: class {}, controllers: [TeamController] };

const POLICY = 'content-security-policy';
const OWN_POLICY = "default-src 'self'";
/** The ways of Nest to set a header on every response. */
const POLICIES: Readonly<Record<string, (app: NestFastifyApplication) => unknown>> = {
  useSecurityHeaders: (app) =>
    app.useSecurityHeaders({ contentSecurityPolicy: { directives: { defaultSrc: ["'self'"] } } }),
  'a middleware': (app) =>
    app.use((_: unknown, response: ServerResponse, next: () => void) => {
      response.setHeader(POLICY, OWN_POLICY).setHeader('Vary', 'X-Team');
      next();
    }),
};

const KEY = { AUTH_API_KEYS_SHA256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae' };
const DETAILS = 'api/Shipping/GetShippingDetails';

const start = useApps();

async function started(change: (app: NestFastifyApplication) => unknown): Promise<NestFastifyApplication> {
  const app = await start({ imports: [team] }, change);
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

describe('D83 routes are known by their metadata', () => {
  let app: NestFastifyApplication;

  const { URI, HEADER } = VersioningType;
  it.each<[string, string, (app: NestFastifyApplication) => unknown]>([
    ['a prefix', '/v1', (each) => each.setGlobalPrefix('v1')],
    ['versions in the path', '', (each) => each.enableVersioning({ type: URI, defaultVersion: '1' })],
    ['versions in a header', '', (each) => each.enableVersioning({ type: HEADER, header: 'V', defaultVersion: '1' })],
  ])('%s moves the operations alone', async (_, prefix, change) => {
    app = await started(change);
    const statuses: number[] = [];
    for (const url of ['/health/live', '/metrics', '/openapi.json', '/docs', '/problems', `/v1/metrics`]) {
      statuses.push((await app.inject({ url })).statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
    const strict = await app.inject({ url: `${prefix}/${DETAILS}?a=1`, headers: { prefer: 'handling=strict' } });
    expect([strict.statusCode, strict.headers['preference-applied']]).toEqual([400, 'handling=strict']);
    const document = (await app.inject({ url: '/openapi.json' })).json<OpenAPIObject>();
    expect(Object.keys(document.paths)).toContain(`${prefix}/${DETAILS}`);
  });

  it('D72 each version of a route has an id of its own in the document', async () => {
    const versioned = { module: class {}, controllers: [VersionedController] };
    app = await start({ imports: [versioned] }, (each) => each.enableVersioning({ type: URI }));
    const { paths } = (await app.inject({ url: '/openapi.json' })).json<OpenAPIObject>();
    const ids = ['/v1/parcels', '/v2/parcels'].map((path) => paths[path]?.get?.operationId);
    expect(ids).toEqual(['VersionedController_find_v1', 'VersionedController_find_v2']);
  });

  it('D72 a prefix is in the examples of the document', async () => {
    const env = { SANDBOX_RECORDS: '3', PUBLIC_BASE_PATH: '/shipping' };
    app = await start({ sandbox: true, env }, (each) => each.setGlobalPrefix('v1'));
    const { paths } = (await app.inject({ url: '/openapi.json' })).json<OpenAPIObject>();
    const { content } = paths[`/v1/api/Shipping/GetShippingInfoById/{id}`]?.get?.responses[404] as ResponseObject;
    const example = content?.['application/problem+json']?.examples?.['shipping-not-found'] as { value: Problem };
    const headers = { 'x-request-id': example.value.requestId };
    const url = example.value.instance.replace('/shipping', '');
    expect((await app.inject({ url, headers })).json()).toEqual(example.value);
  });

  it('a prefix changes nothing on the management port', async () => {
    app = await start({ env: { MANAGEMENT_PORT: String(await freePort()) } }, (each) => each.setGlobalPrefix('v1'));
    await app.listen(0, '127.0.0.1');
    const { managementPort } = app.get<Settings>(SETTINGS);
    const management = `http://127.0.0.1:${String(managementPort)}`;
    const statusesOf = (origin: string, ...paths: string[]): Promise<number[]> =>
      Promise.all(paths.map(async (path) => (await fetch(origin + path)).status));
    expect(await statusesOf(management, '/metrics', '/health/ready', `/v1/${DETAILS}`)).toEqual([200, 200, 404]);
    expect(await statusesOf(await app.getUrl(), '/metrics', '/v1/metrics')).toEqual([404, 404]);
  });

  it.each(Object.entries(POLICIES))('a policy by %s stays, D21 Vary too', async (_, change) => {
    app = await started(change);
    for (const url of ['/docs', `/${DETAILS}`]) {
      const { headers } = await app.inject({ url });
      expect([url, headers[POLICY]]).toEqual([url, expect.stringContaining(OWN_POLICY)]);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', vary: expect.stringContaining('Prefer') });
    }
  });

  it('a policy of one route stays behind that of a middleware for all', async () => {
    app = await started((each) =>
      each.use((_: unknown, response: ServerResponse, next: () => void) => {
        response.setHeader(POLICY, 'sandbox');
        next();
      }),
    );
    const policies = ['/parcels/policy', '/health/live'].map(
      async (url) => (await app.inject({ url })).headers[POLICY],
    );
    expect(await Promise.all(policies)).toEqual([OWN_POLICY, 'sandbox']);
  });

  it.each(['api', 'api/Shipping', ''])('D85 a page of a team at /%s changes no operation', async (path) => {
    let document = {} as OpenAPIObject;
    app = await start({}, (each) => {
      SwaggerModule.setup(path, each, () => document, { customSiteTitle: 'Parcels' });
    });
    document = (await app.inject({ url: '/openapi.json' })).json<OpenAPIObject>();
    document.info.description = 'Of the team';
    expect((await app.inject({ url: `/${path}/swagger-ui-init.js` })).body).toContain('Of the team');
    const headers = { prefer: 'handling=strict' };
    const [page, operation] = [
      await app.inject({ url: `/${path}` }),
      await app.inject({ url: `/${DETAILS}?a=1`, headers }),
    ];
    expect([page.statusCode, operation.statusCode]).toEqual([200, 400]);
    expect(page.body).toContain('<title>Parcels</title>');
    expect(page.headers[POLICY]).toContain("script-src 'self'");
    expect(operation.headers[POLICY]).not.toContain('script-src');
  });
});

describe('D72 the document of an application with authentication and a system of its own', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    const app = await start({ imports: [team], env: KEY });
    document = (await app.inject({ url: '/openapi.json' })).json<OpenAPIObject>();
  });

  it('operations have ids of their own, also where methods have one name', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids).toContain('TeamController_getShippingDetails');
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('schemas of a team keep every member', () => {
    expect(document.components?.schemas?.Parcel).toMatchObject({
      properties: { instance: { type: 'string' }, summary: { type: 'string', example: 'one' } },
    });
  });

  it('every route but a public one needs a credential', () => {
    const open = document.paths['/api/parcels/open']?.get;
    expect([open?.security, Object.keys(open?.responses ?? {})]).toEqual([undefined, ['200']]);
    for (const operation of [document.paths['/']?.get, document.paths[`/${DETAILS}`]?.get]) {
      expect(operation).toMatchObject({ security: [{ apiKey: [] }], responses: { 401: expect.anything() } });
    }
  });

  it('what a team declares stays, and its scheme is there', () => {
    const create = document.paths['/parcels']?.post;
    expect(create).toMatchObject({ security: [{ bearer: [] }], responses: { 401: { description: 'Ask the team' } } });
    const schemes = { bearer: { scheme: 'bearer' }, apiKey: { name: 'X-API-Key' } };
    expect(document.components?.securitySchemes).toMatchObject(schemes);
  });
});

describe('D83 modules and plugins of a team', () => {
  it('D83 a module that serves files recognises the adapter, and may serve /', async () => {
    const app = await start({}, (each) =>
      each.register(async (instance: FastifyInstance) => {
        await Promise.resolve();
        instance.get('/', () => 'a file');
      }),
    );
    // By this name, `ServeStaticModule` of Nest does.
    expect(app.getHttpAdapter().constructor.name).toBe('FastifyAdapter');
    expect((await app.inject({ url: '/' })).body).toBe('a file');
  });

  it('D83 @fastify/compress registered again: refused in words', async () => {
    const started = start({}, (app) => app.register(compress as never));
    const listening = started.then((app) => app.listen(0, '127.0.0.1'));
    await expect(listening).rejects.toThrow('do not register @fastify/compress');
  });

  it('D83 several applications leave no listener behind', async () => {
    const configure: TestingAppOptions['configure'] = (builder) =>
      builder.overrideProvider(LogDestination).useFactory({ factory: () => quiet() });
    const count = (): unknown => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const env = { SANDBOX_RECORDS: '1', DOCS: 'off' };
    await (await createTestingApp({ env, listen: true, sandbox: true })).close();
    const before = count();
    for (let made = 0; made < 3; made += 1) {
      const app = await createTestingApp({ env, listen: true, sandbox: true, configure });
      await app.get(QueryBus).execute(new GetShippingDetailsQuery({ Limit: 1 }, jobContext()));
      await app.close();
    }
    expect(count()).toEqual(before);
  });

  it('two services in one application are refused', async () => {
    const env = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' };
    const twice = { env, imports: [AppModule.withProtocol(StandardProtocol)] };
    await expect(createTestingApp(twice)).rejects.toThrow('has already been registered');
  });
});
