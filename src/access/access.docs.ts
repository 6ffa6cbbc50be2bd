import type { OpenAPIObject } from '@nestjs/swagger';
import { isRestricted, type Settings } from '../config/settings';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { ProblemExample } from '../openapi/problem-response';

type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/** The accepted credentials. */
export function securitySchemes({ token, apiKeys }: Settings['access']): SecuritySchemes {
  return {
    ...(token !== undefined && { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }),
    ...(apiKeys.length > 0 && { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }),
  };
}

/**
 * The problems of authentication and rate limiting where they are on.
 *
 * @param target a request of the operation
 */
export function accessProblems({ access, external, rateLimit }: Settings, target: string): ProblemExample[] {
  const unauthenticated = {
    problem: PROBLEMS.authenticationRequired,
    description: 'There is no credential, or it is not accepted; see `WWW-Authenticate`.',
    target,
  };
  const unauthorized = {
    problem: PROBLEMS.insufficientScope,
    description: 'The bearer token lacks a scope; see `WWW-Authenticate`.',
    target,
    circumstance: 'A token without the scope',
  };
  const withoutClaim = {
    problem: PROBLEMS.missingClaim,
    description: 'The bearer token lacks a claim, such as that of a tenant.',
    target,
    circumstance: 'A token without the claim',
  };
  const limited = {
    problem: PROBLEMS.rateLimitExceeded,
    description: 'There were too many requests in this window; see `Retry-After`.',
    target,
    circumstance: 'Too many requests',
  };
  const hasScopes = access.token !== undefined && access.token.scopes.length > 0;
  return [
    ...(isRestricted(access) ? [unauthenticated] : []),
    ...(external.forwardClaims.length > 0 ? [withoutClaim] : []),
    ...(hasScopes ? [unauthorized] : []),
    ...(rateLimit === undefined ? [] : [limited]),
  ];
}
