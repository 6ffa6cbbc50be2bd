import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { createApp, type Composition } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { Lifecycle } from '../../src/health/lifecycle';
import { EventLoopLag } from '../../src/http/event-loop-lag';

/** What a team tests: the service with its settings, modules and replaced providers. */
export interface TestingAppOptions extends Composition {
  /** Environment variables of the service. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Creates the real service with a silent logger, for `app.inject` and, by `await app.getUrl()`, for HTTP on a free loopback
 * port. Close it after the test.
 */
export async function createTestingApp({
  env = {},
  ...composition
}: TestingAppOptions = {}): Promise<NestFastifyApplication> {
  const settings = readSettings({ HOST: '127.0.0.1', PORT: '0', ...env });
  const app = await createApp(settings, pino({ level: 'silent' }), composition);
  await app.listen(settings.port, settings.host);
  // Load shedding depends on the speed of the machine.
  app.get(EventLoopLag).stop();
  app.get(Lifecycle).started();
  return app;
}
