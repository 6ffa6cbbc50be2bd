import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IS_PUBLIC } from '../common/public.decorator';
import { ProblemException } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import { setRetryAfter, varyBy } from '../http/responses/response-headers';
import { AccessMetrics } from './access.metrics';
import { Authenticator, type Refusal } from './authenticator';
import { RateLimiter } from './rate-limiter';

/** Requires a valid credential on every route that is not `@Public()`, and sets `request.user`. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(Authenticator) private readonly authenticator: Authenticator | undefined,
    private readonly metrics: AccessMetrics,
    @Inject(RateLimiter) private readonly limiter: RateLimiter | undefined,
  ) {}

  /** @throws {ProblemException} 401, 403, 429 or 503 */
  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (this.authenticator === undefined) return true;
    if (this.reflector.getAllAndOverride(IS_PUBLIC, [execution.getHandler(), execution.getClass()])) return true;
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // RFC 9110: responses depend on `Authorization` without naming it.
    if (this.authenticator.acceptsApiKeys) varyBy(reply, 'X-API-Key');
    const clientAt = (kind: 'refused' | 'address'): string => `${kind} ${this.limiter?.addressOf(request)}`;
    const decision = await this.authenticator.authenticate(
      request.headers,
      async () => await this.limiter?.refuseUsedUp(clientAt('refused'), reply),
    );
    if (decision.authenticated) {
      request.user = decision.principal;
      return true;
    }
    // Failed authentications count apart from the requests of authenticated clients at the same address.
    const id = decision.principal?.id ?? clientAt(decision.problem.status === 401 ? 'refused' : 'address');
    await this.limiter?.consume(id, reply);
    return this.refuse(decision, reply);
  }

  private refuse({ problem, challenge, retryAfterMs }: Refusal, reply: FastifyReply): never {
    if (problem === PROBLEMS.keysUnavailable) this.metrics.failed('keys');
    if (challenge !== undefined) reply.header('WWW-Authenticate', challenge);
    if (retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
    throw new ProblemException(problem);
  }
}
