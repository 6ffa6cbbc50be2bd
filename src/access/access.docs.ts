import type { OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '../config/settings';
import { type ProblemDefinition, PROBLEMS } from '../http/problems/problem-definitions';
import type { ProblemExample } from '../openapi/problem-response';
import { authenticationRequired } from './authentication.guard';

type SecuritySchemes = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>;

/** The security schemes of the OpenAPI document: one for each kind of credential that the settings accept. */
export function securitySchemes({ token, apiKeys }: Settings['access']): SecuritySchemes {
  return {
    ...(token !== undefined && { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }),
    ...(apiKeys.length > 0 && { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }),
  };
}

/**
 * The errors of authentication and rate limiting that the OpenAPI document lists, as far as the settings switch these
 * on.
 */
export function accessProblems({ access, external, rateLimit }: Settings, path: string): ProblemExample[] {
  const { token, apiKeys } = access;
  const problems: ProblemExample[] = [];
  if (token !== undefined || apiKeys.length > 0) {
    problems.push({ problem: authenticationRequired(access), request: { target: path } });
  }
  const forbidden: ProblemDefinition[] = [];
  if (token !== undefined && token.scopes.length > 0) forbidden.push(PROBLEMS.insufficientScope);
  if (external.forwardClaims.length > 0) forbidden.push(PROBLEMS.missingClaim);
  const [problem] = forbidden;
  if (problem !== undefined) {
    const description = forbidden.map(({ detail }) => detail).join(' ');
    problems.push({ problem, description, circumstance: 'A token without the scope or claim' });
  }
  if (rateLimit !== undefined) {
    problems.push({ problem: PROBLEMS.rateLimitExceeded, circumstance: 'Too many requests' });
  }
  return problems;
}
