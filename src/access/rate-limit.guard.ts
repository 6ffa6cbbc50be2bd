import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IS_PUBLIC } from '../common/public.decorator';
import { RateLimiter } from './rate-limiter';

/** Limits the requests of each client on every route that is not `@Public()`. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(RateLimiter) private readonly limiter: RateLimiter | undefined,
  ) {}

  /** @throws {ProblemException} 429 */
  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (this.limiter === undefined) return true;
    if (this.reflector.getAllAndOverride(IS_PUBLIC, [execution.getHandler(), execution.getClass()])) return true;
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const client = request.user?.id ?? `address ${this.limiter.addressOf(request)}`;
    await this.limiter.consume(client, http.getResponse<FastifyReply>());
    return true;
  }
}
