import { Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IS_PUBLIC } from '../common/public.decorator';
import { clientOf, RateLimiter } from './rate-limiter';

/** Limits the requests of each client on every route that is not `@Public()`, where a limit is configured. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Optional() private readonly limiter?: RateLimiter,
  ) {}

  /** @throws {ProblemException} 429 */
  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (this.limiter === undefined) return true;
    if (this.reflector.getAllAndOverride(IS_PUBLIC, [execution.getHandler(), execution.getClass()])) return true;
    const http = execution.switchToHttp();
    await this.limiter.consume(clientOf(http.getRequest<FastifyRequest>()), http.getResponse<FastifyReply>());
    return true;
  }
}
