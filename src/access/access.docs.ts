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

/** The problems of authentication and rate limiting, where they are on. */
export function accessProblems({ access, rateLimit }: Settings, target: string): ProblemExample[] {
  const problems: ProblemExample[] = [];
  if (isRestricted(access)) {
    const description = 'There is no credential, or it is not accepted; see `WWW-Authenticate`.';
    problems.push({ problem: PROBLEMS.authenticationRequired, description, target });
  }
  if (access.token !== undefined && access.token.scopes.length > 0) {
    const description = 'The bearer token lacks a scope; see `WWW-Authenticate`.';
    const circumstance = 'A token without the scope';
    problems.push({ problem: PROBLEMS.insufficientScope, description, target, circumstance });
  }
  if (rateLimit !== undefined) {
    const description = 'There were too many requests in this window; see `Retry-After`.';
    problems.push({ problem: PROBLEMS.rateLimitExceeded, description, target, circumstance: 'Too many requests' });
  }
  return problems;
}
