import { FastifyAdapter as NestAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
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

  it.each([
    ['on', 302],
    ['off', 404],
  ])('with DOCS=%s, / is %i', async (docs, status) => {
    const app = await createTestingApp({ env: { DOCS: docs } });
    await app.init();
    expect((await app.inject('/')).statusCode).toBe(status);
    await app.close();
  });

  it('adds nothing to / where the team has a route there', async () => {
    const app = await createTestingApp();
    app.getHttpAdapter().get('/', (_: unknown, reply: { send: (text: string) => void }) => {
      reply.send('ours');
    });
    await app.init();
    const { statusCode, body } = await app.inject('/');
    expect([statusCode, body]).toEqual([200, 'ours']);
    await app.close();
  });
});
