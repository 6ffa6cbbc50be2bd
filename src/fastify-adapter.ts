import cors from '@fastify/cors';
import { FastifyAdapter as NestAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { HOW_TO_START } from './app.module';
import { fixedPathOf } from './common/route-metadata';

const CORS_TWICE = 'CORS_ORIGINS is set: use either this setting or enableCors() or @fastify/cors, not both';

/**
 * Nest's adapter, which serves probes and metrics at the path of their `@ManagementRoute`, below no prefix, because
 * orchestrators are configured with it; and which refuses in words what would fail later with a decorator's name, or run
 * without the hooks of the service (D83). `ServeStaticModule` recognises Fastify by the name of this class alone.
 */
export class FastifyAdapter extends NestAdapter {
  /** Whether `CORS_ORIGINS` is set, by which the service itself registers the plugin for CORS. */
  hasCors = false;

  /** @throws Error where the plugin for CORS would be registered twice */
  override register: NestAdapter['register'] = (plugin: unknown, options: unknown) => {
    if (plugin === cors) this.requireNoCors();
    return super.register(plugin as never, options as never) as FastifyInstance;
  };

  /** @throws Error as `register` does */
  override enableCors(...options: Parameters<NestAdapter['enableCors']>): void {
    this.requireNoCors();
    super.enableCors(...options);
  }

  /** @throws Error before `configureApp`, which registers the plugin for middleware */
  override use(...args: unknown[]): unknown {
    this.requireHooks();
    return super.use(...args) as unknown;
  }

  /** @throws Error before `configureApp`: the route, such as that of a Swagger page, would not have its hooks */
  override get(...args: unknown[]): FastifyInstance {
    this.requireHooks();
    const [path, handler] = args;
    return super.get(fixedPathOf(handler) ?? path, handler);
  }

  private requireNoCors(): void {
    if (this.hasCors) throw new Error(CORS_TWICE);
  }

  private requireHooks(): void {
    // The plugin for middleware, which `addHooks` registers, adds `use`.
    if (!this.instance.hasDecorator('use')) throw new Error(HOW_TO_START);
  }
}
