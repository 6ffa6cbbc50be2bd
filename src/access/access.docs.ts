import type { OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '../config/settings';
import type { ProblemDefinition } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { ProblemExample } from '../openapi/problem-response';

type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/** The security schemes of the document: one for each kind of credential that the settings accept. */
export function securitySchemes({ token, apiKeys }: Settings['access']): SecuritySchemes {
  return {
    ...(token !== undefined && { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }),
    ...(apiKeys.length > 0 && { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }),
  };
}

/** The problems of authentication and rate limiting, where they are on. */
export function accessProblems({ access, external, rateLimit }: Settings, target: string): ProblemExample[] {
  const problems: ProblemExample[] = [];
  const add = (problem: ProblemDefinition, circumstance?: string, description = problem.detail): void => {
    problems.push({ problem, description, target, circumstance });
  };
  if (access.token !== undefined || access.apiKeys.length > 0) add(PROBLEMS.authenticationRequired);
  const forbidden = external.forwardClaims.length > 0 ? [PROBLEMS.missingClaim] : [];
  if (access.token !== undefined && access.token.scopes.length > 0) forbidden.unshift(PROBLEMS.insufficientScope);
  const [first] = forbidden;
  if (first !== undefined)
    add(first, 'A token without the scope or claim', forbidden.map(({ detail }) => detail).join(' '));
  if (rateLimit !== undefined) add(PROBLEMS.rateLimitExceeded, 'Too many requests');
  return problems;
}
