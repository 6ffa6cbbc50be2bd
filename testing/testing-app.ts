import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { AppModule } from '#src/app.module';
import { configureApp, createAdapter } from '#src/app.setup';
import { readSettings } from '#src/config/settings';
import { LogDestination } from '#src/observability/logging/log-destination';
import { createLogger, PinoLoggerService } from '#src/observability/logging/logger';
import type { ShippingProtocol } from '#src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '#src/shipping/gateway/protocol/standard-protocol';

/** Options of {@link createTestingApp}, for tests of applications that extend the service. */
export interface TestingAppOptions {
  /** Modules that the application adds to the service. `protocol` may inject the providers that they export. */
  readonly imports?: NonNullable<DynamicModule['imports']>;
  /** The class that knows the wire format of the external system; by default that of the specification. */
  readonly protocol?: Type<ShippingProtocol>;
  /** Environment variables of the service. Until the application is closed, they are in `process.env`, too. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Called with the builder of Nest's testing module, such as for `overrideProvider`, `overrideGuard` and `useMocker`.
   */
  readonly configure?: (builder: TestingModuleBuilder) => unknown;
  /** Whether the application listens, on a free loopback port. */
  readonly listen?: boolean;
  /** Whether the sandbox is started, in this process, where `env` names no external system. */
  readonly sandbox?: boolean;
  /** Called with each line of the log; without it, nothing is logged. */
  readonly log?: (line: string) => void;
}

/** The external system of tests that need none: nothing listens on this port, so that calls fail at once. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Creates the real service, as the `main.ts` of an application that extends it does. Unless it listens, the application
 * is not initialised: call `await app.init()` before `app.inject`. Close the application after the test.
 */
export async function createTestingApp({
  env = {},
  imports = [],
  protocol = StandardProtocol,
  listen = false,
  sandbox = false,
  log,
  configure,
}: TestingAppOptions = {}): Promise<NestFastifyApplication> {
  const defaults = { HOST: '127.0.0.1', PORT: '0', ...(!sandbox && { EXTERNAL_SHIPPING_BASE_URL: NOWHERE }) };
  const settings = readSettings({ ...defaults, ...env });
  const destination = { write: log ?? (() => undefined) } as LogDestination;
  const logger = createLogger(settings, destination);
  const restoreEnvironment = addToEnvironment(env);
  let app: NestFastifyApplication | undefined;
  try {
    const builder = Test.createTestingModule({
      imports: [AppModule.withProtocol(protocol, { settings, imports }), ...imports],
      providers: [{ provide: 'environment', useValue: { onApplicationShutdown: restoreEnvironment } }],
    }).setLogger(new PinoLoggerService(logger));
    builder.overrideProvider(LogDestination).useValue(destination);
    configure?.(builder);
    const moduleRef = await builder.compile();
    app = moduleRef.createNestApplication<NestFastifyApplication>(createAdapter(settings));
    await configureApp(app);
    if (listen) await app.listen(settings.port, settings.host);
    return app;
  } catch (error) {
    await app?.close();
    restoreEnvironment();
    throw error;
  }
}

/** What each open application has replaced in `process.env`, those that were created last at the end. */
const replacedBy: Record<string, string | undefined>[] = [];

/**
 * Adds variables to `process.env`, because the application's own modules may read theirs there, as Nest's
 * `ConfigModule` does.
 *
 * @returns a function that restores the environment
 */
function addToEnvironment(env: Readonly<Record<string, string>>): () => void {
  const replaced = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  Object.assign(process.env, env);
  replacedBy.push(replaced);
  return () => {
    const index = replacedBy.indexOf(replaced);
    if (index < 0) return;
    replacedBy.splice(index, 1);
    for (const [name, value] of Object.entries(replaced)) {
      // The variable of an application that is still open stays, and this one's former value is restored after it.
      const later = replacedBy.slice(index).find((each) => name in each);
      if (later !== undefined) later[name] = value;
      else if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
}
