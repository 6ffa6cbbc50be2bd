import type { ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, configureApp, createAdapter, readSettings, StandardProtocol } from 'shipping-query-service';

/** A recipe of Nest's documentation: a module, what its `main.ts` does, and requests that show that it works. */
export interface Recipe extends ModuleMetadata {
  readonly prepare?: (app: NestFastifyApplication) => unknown;
  /** Returns what a plain application and the service have to have in common. */
  readonly probe: (app: NestFastifyApplication) => Promise<unknown>;
}

const QUIET = { logger: false, abortOnError: false } as const;
const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'silent' });

async function resultOf(app: NestFastifyApplication, { prepare, probe }: Recipe): Promise<unknown> {
  try {
    await prepare?.(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return await probe(app);
  } finally {
    await app.close();
  }
}

/** What the recipe gives on plain Nest with Fastify. */
export async function onPlainNest(recipe: Recipe): Promise<unknown> {
  return resultOf(
    await NestFactory.create<NestFastifyApplication>(moduleOf(recipe), new FastifyAdapter(), QUIET),
    recipe,
  );
}

/** What it gives in an application that has the service. */
export async function onTheService(recipe: Recipe): Promise<unknown> {
  const { imports, ...module } = moduleOf(recipe);
  const root = { ...module, imports: [AppModule.withProtocol(StandardProtocol, { settings }), ...imports] };
  const app = await NestFactory.create<NestFastifyApplication>(root, createAdapter(settings), QUIET);
  return resultOf(await configureApp(app), recipe);
}

function moduleOf({ imports = [], controllers, providers }: Recipe) {
  return { module: class RecipeModule {}, imports, controllers, providers };
}

/** Status and body of a response, and some of its header fields. */
export async function get(app: NestFastifyApplication, url: string, headers = {}, ...shown: string[]) {
  const response = await app.inject({ url, headers });
  return [response.statusCode, response.body, ...shown.map((name) => response.headers[name])];
}
