import { isRestricted, type Settings } from '../config/settings';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { AccessDocs } from '../openapi/api-document';
import type { HeaderObject } from '../openapi/components';
import type { ProblemDocs } from '../openapi/route-docs';

const CHALLENGE: Readonly<Record<string, HeaderObject>> = {
  'WWW-Authenticate': {
    description: 'The accepted credentials, and why a token was not accepted (RFC 6750).',
    required: true,
    schema: { type: 'string', maxLength: 1024 },
    example: 'Bearer realm="shipping-query-service"',
  },
};

const LIMIT_HEADERS: Readonly<Record<string, HeaderObject>> = {
  RateLimit: {
    description: 'The number of remaining requests (`r`), and the seconds until the limit is reset (`t`).',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$', maxLength: 64 },
    example: '"default";r=99;t=60',
  },
  'RateLimit-Policy': {
    description: 'The number of allowed requests (`q`) in a number of seconds (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$', maxLength: 64 },
    example: '"default";q=100;w=60',
  },
};

/** What the settings of authentication and rate limiting add to the OpenAPI document. */
export function accessDocs({ access, rateLimit }: Settings): AccessDocs {
  const restricted = isRestricted(access);
  const limited = rateLimit !== undefined;
  return {
    securitySchemes: restricted ? schemesOf(access) : undefined,
    headers: { ...(restricted && CHALLENGE), ...(limited && LIMIT_HEADERS) },
    everyResponse: limited ? Object.keys(LIMIT_HEADERS) : [],
    problems: (target) => [
      ...(restricted ? credentialProblems(access, target) : []),
      ...(limited ? [tooManyRequests(target)] : []),
    ],
  };
}

function schemesOf({ token, apiKeys }: Settings['access']): AccessDocs['securitySchemes'] {
  return {
    ...(token !== undefined && {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'A token of the configured issuer (RFC 6750).',
      },
    }),
    ...(apiKeys.length > 0 && {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
    }),
  };
}

function credentialProblems({ token }: Settings['access'], target: string): ProblemDocs[] {
  const unauthorized = {
    meaning: 'No credential (`authentication-required`), or one that is not accepted (`invalid-credentials`).',
    responseHeaders: Object.keys(CHALLENGE),
  };
  const bearer = { target, headers: { Authorization: 'Bearer <token>' } };
  const problems: ProblemDocs[] = [
    { ...unauthorized, problem: PROBLEMS.authenticationRequired, request: { target }, circumstance: 'No credential' },
  ];
  if (token === undefined) {
    const request = { target, headers: { 'X-API-Key': 'unknown' } };
    return [...problems, { ...unauthorized, problem: PROBLEMS.invalidApiKey, request }];
  }
  problems.push(
    { ...unauthorized, problem: PROBLEMS.expiredToken, request: bearer, circumstance: 'A token that has expired' },
    {
      problem: PROBLEMS.keysUnavailable,
      meaning: 'The keys of the token issuer are unavailable (`keys-unavailable`).',
      request: bearer,
      circumstance: 'The keys are unavailable',
      responseHeaders: ['Retry-After'],
    },
  );
  if (token.scopes.length === 0) return problems;
  const insufficientScope: ProblemDocs = {
    problem: PROBLEMS.insufficientScope,
    meaning: 'The bearer token lacks a scope.',
    request: bearer,
    circumstance: 'A token without the scope',
    responseHeaders: Object.keys(CHALLENGE),
  };
  return [...problems, insufficientScope];
}

function tooManyRequests(target: string): ProblemDocs {
  return {
    problem: PROBLEMS.rateLimitExceeded,
    meaning: 'There were too many requests in this window.',
    request: { target },
    circumstance: 'Too many requests',
    responseHeaders: ['Retry-After'],
  };
}
