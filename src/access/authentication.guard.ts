import { type CanActivate, type ExecutionContext, Inject, Injectable, Optional } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash, timingSafeEqual } from 'node:crypto';
import { LoggedError } from '../common/errors';
import { isPublic } from '../common/route-metadata';
import { SETTINGS, type Settings } from '../config/settings';
import { type ProblemDefinition, ProblemException, PROBLEMS } from '../http/problems/problem-definitions';
import type { Principal } from '../http/requests/request-record';
import { AccessMetrics, clientOf, failuresOf, RateLimiter } from './rate-limiter';
import { type Authentication, KEYS_UNAVAILABLE, TokenVerifier } from './token-verifier';

const REALM = 'realm="shipping-query-service"';
/**
 * The value of `Authorization` with a bearer token (RFC 6750). A value without a token matches, too, so that it is
 * refused as an invalid token and not as a missing credential.
 */
const BEARER = /^bearer(?: +([A-Za-z0-9._~+/-]+=*) *$| |$)/i;

/**
 * Requires a bearer token or an API key, if configured, on every route that is not `@Public()`, sets `request.user`,
 * and limits the requests of each client. Other contexts than HTTP are refused where a credential is required, unless
 * they are `@Public()`.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly metrics: AccessMetrics,
    @Optional() private readonly verifier?: TokenVerifier,
    @Optional() private readonly limiter?: RateLimiter,
  ) {}

  /**
   * @throws {ProblemException} 401 or 403; 429 where the client has used up its limit, also by failed authentications;
   * 503 while the keys of the token issuer are unavailable
   */
  canActivate(execution: ExecutionContext): boolean | Promise<boolean> {
    const { token, apiKeys } = this.settings.access;
    const isOpen = token === undefined && apiKeys.length === 0;
    if ((isOpen && this.limiter === undefined) || isPublic(execution)) return true;
    // A message, a WebSocket or a GraphQL resolver has no credential and no address that could be read here (D83).
    if (execution.getType() !== 'http') return isOpen;
    const [request, reply] = execution.getArgs<[FastifyRequest, FastifyReply]>();
    return this.authorize(request, reply, isOpen);
  }

  private async authorize(request: FastifyRequest, reply: FastifyReply, isOpen: boolean): Promise<boolean> {
    const { user, problem, cause }: Authentication = isOpen ? {} : await this.authenticate(request);
    // Where the service requires no credential, a middleware of an application may have set `user`.
    if (!isOpen) request.user = user;
    request.record.clientName = user?.name;
    await this.limiter?.consume(problem?.status === 401 ? failuresOf(request) : clientOf(request), reply);
    if (problem === undefined) return true;
    if (problem === KEYS_UNAVAILABLE) this.metrics.failures.inc({ failure: 'keys' });
    else reply.header('WWW-Authenticate', this.challengeOf(problem));
    throw new ProblemException(problem, new LoggedError(cause));
  }

  private async authenticate({ headers }: FastifyRequest): Promise<Authentication> {
    const { 'x-api-key': key = '', authorization = '' } = headers;
    const { apiKeys } = this.settings.access;
    const hasKey = key !== '' && apiKeys.length > 0;
    const user = hasKey ? userOf(String(key), apiKeys) : undefined;
    if (user !== undefined) return { user };
    const bearer = BEARER.exec(authorization);
    if (this.verifier !== undefined && bearer !== null) return await this.verifier.verify(bearer[1] ?? '');
    if (hasKey) return { problem: PROBLEMS.invalidApiKey, cause: 'unknown API key' };
    return { problem: authenticationRequired(this.settings.access), cause: 'no credential' };
  }

  private challengeOf(problem: ProblemDefinition): string {
    const { apiKeys, token } = this.settings.access;
    if (token !== undefined && problem === PROBLEMS.insufficientScope) {
      return `Bearer ${REALM}, error="insufficient_scope", scope="${token.scopes.join(' ')}"`;
    }
    const isOfToken = problem === PROBLEMS.expiredToken || problem === PROBLEMS.invalidToken;
    const error = isOfToken ? `, error="invalid_token", error_description="${problem.detail}"` : '';
    const challenges = token === undefined ? [] : [`Bearer ${REALM}${error}`];
    if (apiKeys.length > 0) challenges.push(`ApiKey ${REALM}`);
    return challenges.join(', ');
  }
}

/** The problem of a request without a credential: it names the headers that the service accepts (D76). */
export function authenticationRequired({ token, apiKeys }: Settings['access']): ProblemDefinition {
  const headers: string[] = [];
  if (token !== undefined) headers.push('Authorization: Bearer <token>');
  if (apiKeys.length > 0) headers.push('X-API-Key: <key>');
  const detail = `A credential is required: send the header ${headers.join(' or ')}.`;
  return { ...PROBLEMS.authenticationRequired, detail };
}

/**
 * The client of an API key; `undefined` for a key that is not accepted. The digest is that of the bytes that the client
 * sent: Node decodes each byte of a header to one character, as Latin-1.
 */
function userOf(key: string, digests: readonly Buffer[]): Principal | undefined {
  const digest = hash('sha256', Buffer.from(key, 'latin1'), 'buffer');
  // Every key is compared: the time of a response must not show which of them matched, or whether one did.
  const matching = digests.filter((accepted) => timingSafeEqual(digest, accepted));
  if (matching.length === 0) return undefined;
  const id = digest.toString('hex');
  return { id: `key ${id}`, name: id.slice(0, 8), subject: undefined, scopes: [], claims: {} };
}
