import type { OpenAPIObject } from '@nestjs/swagger';
import { isRestricted, type Settings } from '../config/settings';
import type { ProblemDefinition } from '../http/problems/problem';
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
  const add = (problem: ProblemDefinition, circumstance?: string): void => {
    problems.push({ problem, description: problem.detail, target, circumstance });
  };
  if (isRestricted(access)) add(PROBLEMS.authenticationRequired);
  if (access.token !== undefined && access.token.scopes.length > 0) {
    add(PROBLEMS.insufficientScope, 'A token without the scope');
  }
  if (rateLimit !== undefined) add(PROBLEMS.rateLimitExceeded, 'Too many requests');
  return problems;
}
