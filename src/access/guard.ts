import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setCommonHeaders } from '../http/common-headers';
import { isPreflight } from '../http/cors';
import { isOperation } from '../http/paths';
import { sendProblem } from '../http/problem.filter';
import type { ProblemKind } from '../http/problem';
import { RATE_LIMIT_EXCEEDED, type RateLimiter } from '../limits/rate-limiter';
import type { Quota } from '../limits/quota';
import { KEYS_UNAVAILABLE, type AccessPolicy, type Verdict } from './access-policy';
import type { GuardFailure } from './guard-failure';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its caller has left; `null` where it was not counted. */
    quota: Quota | null;
  }
}

const NOBODY_ASKED: Verdict = { admitted: true, caller: undefined };

/** Who may call the operations, and how often; either may be absent. */
export interface GuardOptions {
  readonly policy: AccessPolicy | undefined;
  readonly limiter: RateLimiter | undefined;
  /** Whether preflights are answered: browsers send them without credentials. */
  readonly answersPreflights: boolean;
}

/**
 * Stands before the operations: first who calls, then how often, and only then what is asked for. Works on the route that
 * was found, so that no spelling of a path leads around it.
 */
export class Guard {
  private failed: (failure: GuardFailure) => void = () => undefined;

  constructor(private readonly options: GuardOptions) {}

  /** @param failed told of each request that could not be decided on */
  register(fastify: FastifyInstance, failed: (failure: GuardFailure) => void): void {
    const { limiter, answersPreflights } = this.options;
    this.failed = failed;
    fastify.addHook('onRequest', async (request, reply) => {
      if (!isOperation(request) || (answersPreflights && isPreflight(request))) return undefined;
      return (await this.admits(request, reply)) ? undefined : reply;
    });
    if (limiter === undefined) return;
    fastify.decorateRequest('quota', null);
    fastify.addHook('onSend', (request, reply, _payload, done) => {
      // The caller has the answer already, so that the request was none.
      if (reply.statusCode === 304 && request.quota !== null) limiter.giveBack(reply, request.quota);
      done();
    });
    fastify.addHook('onClose', (_, done) => {
      limiter.close();
      done();
    });
  }

  /** Whether the request may go on; where it may not, it has been answered. */
  async admits(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { policy, limiter } = this.options;
    setCommonHeaders(request, reply);
    if (policy?.readsApiKeys === true) reply.header('Vary', `${String(reply.getHeader('Vary'))}, X-API-Key`);
    const verdict = policy === undefined ? NOBODY_ASKED : await policy.judge(request.headers);
    if (limiter !== undefined) {
      const quota = await limiter.take(callerOf(verdict, limiter, request), reply);
      request.quota = quota ?? null;
      if (quota === undefined) this.failed('limit');
      if (quota?.granted === false) return refuse(request, reply, RATE_LIMIT_EXCEEDED);
    }
    if (verdict.admitted) return true;
    if (verdict.problem === KEYS_UNAVAILABLE) this.failed('keys');
    const { problem, challenge, retryAfterMs } = verdict;
    if (challenge !== undefined) reply.header('WWW-Authenticate', challenge);
    if (retryAfterMs !== undefined) reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
    return refuse(request, reply, problem);
  }
}

/** Callers who were refused are counted apart from those at the same address who are known. */
function callerOf({ admitted, caller }: Verdict, limiter: RateLimiter, request: FastifyRequest): string {
  return caller ?? `${admitted ? 'address' : 'refused'} ${limiter.addressOf(request)}`;
}

function refuse(request: FastifyRequest, reply: FastifyReply, problem: ProblemKind): false {
  sendProblem(reply, request, problem);
  return false;
}
