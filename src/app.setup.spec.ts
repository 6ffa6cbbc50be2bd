import { type CanActivate, Controller, Module, Post } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FastifyAdapter as NestAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createTestingApp } from '../testing/testing-app';
import { AppModule, HOW_TO_START } from './app.module';
import { configureApp, createAdapter } from './app.setup';
import { readSettings } from './config/settings';
import { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';

const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', DOCS: 'off' });

/** An application as a `main.ts` creates it, before it is configured. */
async function create(adapter: NestAdapter): Promise<NestFastifyApplication> {
  const imports = [AppModule.withProtocol(StandardProtocol, { settings })];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.createNestApplication<NestFastifyApplication>(adapter, { logger: false });
}

describe('D83 configureApp', () => {
  it('is refused on any adapter but that of createAdapter, and a second time', async () => {
    const foreign = await create(new NestAdapter());
    await expect(configureApp(foreign)).rejects.toThrow(HOW_TO_START);
    await foreign.close();
    const own = await create(createAdapter(settings));
    expect(await configureApp(own)).toBe(own);
    await expect(configureApp(own)).rejects.toThrow(HOW_TO_START);
    await own.close();
  });
});

const ORIGIN = 'https://shop.example';
const LONG = 'x'.repeat(5000);

let steps: string[];

class Guard implements CanActivate {
  canActivate(): boolean {
    steps.push('guard');
    return true;
  }
}

@Controller('labels')
class LabelsController {
  @Post()
  print(): string {
    steps.push('handler');
    return LONG;
  }
}

@Module({ controllers: [LabelsController], providers: [{ provide: APP_GUARD, useClass: Guard }] })
class LabelsModule {}

describe('the order of the hooks', () => {
  let app: NestFastifyApplication;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    [steps, lines] = [[], []];
    app = await createTestingApp({
      imports: [LabelsModule],
      env: { CORS_ORIGINS: ORIGIN },
      log: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    });
  });
  afterEach(() => app.close());

  const send = (url: string, payload = ''): ReturnType<NestFastifyApplication['inject']> =>
    app.inject({ method: 'POST', url, payload, headers: { origin: ORIGIN, 'accept-encoding': 'gzip' } });

  async function useMiddleware(): Promise<void> {
    app.use(async (request: IncomingMessage, _: ServerResponse, next: () => void) => {
      steps.push('middleware');
      if (request.url === '/nowhere') steps.push(await text(request));
      next();
    });
    await app.init();
  }

  it('D83 is middleware, guards, handler', async () => {
    await useMiddleware();
    const { statusCode, headers } = await send('/labels');
    expect([statusCode, headers['content-encoding'], steps]).toEqual([201, 'gzip', ['middleware', 'guard', 'handler']]);
  });

  it('D12 D55 what is refused runs none of them, and has its id, its log line and the headers of CORS', async () => {
    await useMiddleware();
    const { statusCode, headers } = await send('/%ff');
    expect([statusCode, steps]).toEqual([400, []]);
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(lines).toContainEqual(expect.objectContaining({ status: 400, requestId: headers['x-request-id'] }));
  });

  it('D59 middleware reads the body of a request without a route before it is dropped', async () => {
    await useMiddleware();
    const { statusCode } = await send('/nowhere', 'a body');
    expect([statusCode, steps]).toEqual([404, ['middleware', 'a body']]);
  });

  it('D79 hooks of a team that are added later see the coding of a response', async () => {
    let sent: unknown;
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onSend', (_, __, payload, done) => {
        sent = payload;
        done(null, payload);
      });
    await useMiddleware();
    await send('/labels');
    expect([Buffer.isBuffer(sent), (sent as Buffer).length < LONG.length]).toEqual([true, true]);
  });
});
