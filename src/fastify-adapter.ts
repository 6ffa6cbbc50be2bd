import { FastifyAdapter as NestAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { HOW_TO_START } from './app.module';
import { fixedPathOf } from './common/route-metadata';

/**
 * Nest's adapter, which serves probes and metrics at the path of their `@ManagementRoute`, below no prefix, because
 * orchestrators are configured with it. `ServeStaticModule` recognises Fastify by the name of this class alone.
 */
export class FastifyAdapter extends NestAdapter {
  /** @throws Error before `configureApp`, which registers the plugin for middleware */
  override use(...args: unknown[]): unknown {
    this.requireHooks();
    return super.use(...args) as unknown;
  }

  /** @throws Error before `configureApp`: the route, such as that of a Swagger page, would not have its hooks (D83) */
  override get(...args: unknown[]): FastifyInstance {
    this.requireHooks();
    const [path, handler] = args;
    return super.get(fixedPathOf(handler) ?? path, handler);
  }

  private requireHooks(): void {
    // The plugin for middleware, which `addHooks` registers, adds `use`.
    if (!this.instance.hasDecorator('use')) throw new Error(HOW_TO_START);
  }
}
