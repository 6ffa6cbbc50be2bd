import type { ClassProvider, FactoryProvider, ValueProvider } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { pino } from 'pino';
import { AppModule, type Composition } from '../../src/app.module';
import { configureApp } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { Lifecycle } from '../../src/health/lifecycle';
import { EventLoopLag } from '../../src/http/server/event-loop-lag';
import { createFastifyAdapter } from '../../src/http/server/fastify-adapter';
import { PinoLoggerService } from '../../src/observability/logging/pino-logger.service';

/** What a team tests: the service with its settings, modules and protocol, and with replaced providers. */
export interface TestingAppOptions extends Composition {
  /** Environment variables, for the service and in `process.env`, until the application is closed. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replace providers of the same token. */
  readonly overrides?: readonly (ValueProvider | ClassProvider | FactoryProvider)[];
  /** Gets the builder of Nest, such as for `overrideGuard`, `overrideModule` and `useMocker`. */
  readonly configure?: (builder: TestingModuleBuilder) => unknown;
  /** Whether requests are refused where the event loop lags; off otherwise, because it depends on the machine. */
  readonly loadShedding?: boolean;
  /** Whether it listens on a free loopback port. */
  readonly listen?: boolean;
  /** Whether it starts the sandbox where `env` names no external system. */
  readonly sandbox?: boolean;
  /** Gets the lines of the log; without it, nothing is logged. */
  readonly log?: (line: string) => void;
}

class NoEventLoopLag extends EventLoopLag {
  override onApplicationBootstrap(): void {
    // Measures nothing.
  }
}

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Creates the real service, not initialised unless it listens: `await app.init()` before `app.inject`. Close it after the
 * test.
 */
export async function createTestingApp({
  env = {},
  overrides = [],
  listen = false,
  sandbox = false,
  loadShedding = false,
  log,
  configure,
  ...composition
}: TestingAppOptions = {}): Promise<NestFastifyApplication> {
  const defaults = { HOST: '127.0.0.1', PORT: '0', ...(!sandbox && { EXTERNAL_SHIPPING_BASE_URL: NOWHERE }) };
  const settings = readSettings({ ...defaults, ...env });
  const logger = log === undefined ? pino({ level: 'silent' }) : pino({ level: settings.logLevel }, { write: log });
  const restoreEnvironment = addToEnvironment(env);
  const nestLogger = new PinoLoggerService(logger);
  const builder = Test.createTestingModule({
    imports: [AppModule.register(settings, composition)],
    providers: [{ provide: 'environment', useValue: { onApplicationShutdown: restoreEnvironment } }],
  }).setLogger(nestLogger);
  for (const override of overrides) {
    const overridden = builder.overrideProvider(override.provide);
    if ('useValue' in override) overridden.useValue(override.useValue);
    else if ('useClass' in override) overridden.useClass(override.useClass);
    else overridden.useFactory({ factory: override.useFactory, inject: override.inject as never });
  }
  if (!loadShedding) builder.overrideProvider(EventLoopLag).useClass(NoEventLoopLag);
  configure?.(builder);
  const moduleRef = await builder.compile().catch((error: unknown) => {
    restoreEnvironment();
    throw error;
  });
  const app = moduleRef.createNestApplication<NestFastifyApplication>(createFastifyAdapter(settings), {
    logger: nestLogger,
  });
  await configureApp(app, logger);
  app.get(Lifecycle).started();
  if (listen) await app.listen(settings.port, settings.host);
  return app;
}

/** Modules of teams read their variables from `process.env`, such as by `ConfigModule` of Nest. Returns what undoes it. */
function addToEnvironment(env: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
}
