import { Controller, type MiddlewareConsumer, Post, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FastifyAdapter as NestAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { useApps } from '../test/support/service';
import { AppModule, HOW_TO_START } from './app.module';
import { configureApp, createAdapter } from './app.setup';
import { readSettings } from './config/settings';
import { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';

const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', DOCS: 'off' });

/** An application as a `main.ts` creates it, before it is configured. */
async function create(adapter: NestAdapter, ...team: Type[]): Promise<NestFastifyApplication> {
  const imports = [AppModule.withProtocol(StandardProtocol, { settings }), ...team];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.createNestApplication<NestFastifyApplication>(adapter, { logger: false });
}

it('D83 configureApp is refused on any adapter but that of createAdapter, and a second time', async () => {
  const foreign = await create(new NestAdapter());
  await expect(configureApp(foreign)).rejects.toThrow(HOW_TO_START);
  await foreign.close();
  const own = await create(createAdapter(settings));
  expect(await configureApp(own)).toBe(own);
  await expect(configureApp(own)).rejects.toThrow('has already been added');
  await own.close();
});

it('D27 D83 a start without configureApp is refused in words, before a module is initialised', async () => {
  const onModuleInit = jest.fn();
  class TeamModule {
    readonly onModuleInit = onModuleInit;

    configure(consumer: MiddlewareConsumer): void {
      consumer.apply(() => undefined).forRoutes('*path');
    }
  }
  const app = await create(new NestAdapter(), TeamModule);
  await expect(app.init()).rejects.toThrow(HOW_TO_START);
  expect(onModuleInit).not.toHaveBeenCalled();
  await app.close();
});

describe('D83 the adapter', () => {
  const adapter = createAdapter(settings);
  afterAll(() => adapter.close());

  it.each<[string, () => unknown]>([
    ['middleware', () => adapter.use(() => undefined) as unknown],
    ['a route', () => adapter.get('/', () => undefined)],
  ])('%s before configureApp is refused in words', (_, act) => {
    expect(act).toThrow(HOW_TO_START);
  });
});

const ORIGIN = 'https://shop.example';
const LONG = 'x'.repeat(5000);

let steps: string[];

@Controller('labels')
class LabelsController {
  @Post()
  print(): string {
    steps.push('handler');
    return LONG;
  }
}

const guard = { provide: APP_GUARD, useValue: { canActivate: () => steps.push('guard') > 0 } };
const labels = { module: class {}, controllers: [LabelsController], providers: [guard] };

describe('the order of the hooks', () => {
  const start = useApps();
  let lines: Record<string, unknown>[];

  /** What an application with middleware responds. */
  async function send(
    url: string,
    payload = '',
    prepare: (app: NestFastifyApplication) => unknown = () => undefined,
  ): ReturnType<NestFastifyApplication['inject']> {
    [steps, lines] = [[], []];
    const log = (line: string): unknown => lines.push(JSON.parse(line) as Record<string, unknown>);
    const app = await start({ imports: [labels], env: { CORS_ORIGINS: ORIGIN }, log }, (created) => {
      prepare(created);
      created.use(async (request: IncomingMessage, _: ServerResponse, next: () => void) => {
        steps.push('middleware');
        if (request.url === '/nowhere') steps.push(await text(request));
        next();
      });
    });
    return app.inject({ method: 'POST', url, payload, headers: { origin: ORIGIN, 'accept-encoding': 'gzip' } });
  }

  it('D12 D55 what is refused runs none of them, and has its id, its log line and the headers of CORS', async () => {
    const { statusCode, headers } = await send('/%ff');
    expect([statusCode, steps]).toEqual([400, []]);
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(lines).toContainEqual(expect.objectContaining({ status: 400, requestId: headers['x-request-id'] }));
  });

  it('D59 middleware reads the body of a request without a route before it is dropped', async () => {
    const { statusCode } = await send('/nowhere', 'a body');
    expect([statusCode, steps]).toEqual([404, ['middleware', 'a body']]);
  });

  it('D79 hooks of a team that are added later see the coding of a response', async () => {
    let sent: unknown;
    await send('/labels', '', (app) =>
      app
        .getHttpAdapter()
        .getInstance()
        .addHook('onSend', (_, __, payload, done) => {
          sent = payload;
          done(null, payload);
        }),
    );
    expect([Buffer.isBuffer(sent), (sent as Buffer).length < LONG.length]).toEqual([true, true]);
  });
});
