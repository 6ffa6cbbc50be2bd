import type { OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '../config/settings';
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
export function accessProblems({ access, external, rateLimit }: Settings, path: string): ProblemExample[] {
  const problems: ProblemExample[] = [];
  const { token, apiKeys } = access;
  if (token !== undefined || apiKeys.length > 0) {
    const problem = PROBLEMS.authenticationRequired;
    problems.push({ problem, description: problem.detail, request: { target: path } });
  }
  const forbidden = [
    ...(token !== undefined && token.scopes.length > 0 ? [PROBLEMS.insufficientScope] : []),
    ...(external.forwardClaims.length > 0 ? [PROBLEMS.missingClaim] : []),
  ];
  const [problem] = forbidden;
  if (problem !== undefined) {
    const description = forbidden.map(({ detail }) => detail).join(' ');
    problems.push({ problem, description, circumstance: 'A token without the scope or claim' });
  }
  if (rateLimit !== undefined) {
    const problem = PROBLEMS.rateLimitExceeded;
    problems.push({ problem, description: problem.detail, circumstance: 'Too many requests' });
  }
  return problems;
}
