import type { ProblemDefinition } from './problem';

/** The problems of the platform. Each is defined here, once, for guards, hooks, the filter and the OpenAPI document. */
export const PROBLEMS = {
  badRequest: { status: 400, code: 'bad-request', detail: 'The request is malformed.' },
  authenticationRequired: {
    status: 401,
    code: 'authentication-required',
    detail: 'This operation requires a credential; see WWW-Authenticate.',
  },
  invalidApiKey: { status: 401, code: 'invalid-credentials', detail: 'The API key is not accepted.' },
  invalidToken: { status: 401, code: 'invalid-credentials', detail: 'The bearer token is not accepted.' },
  expiredToken: { status: 401, code: 'invalid-credentials', detail: 'The bearer token has expired.' },
  forbidden: { status: 403, code: 'forbidden', detail: 'This request is not allowed.' },
  insufficientScope: {
    status: 403,
    code: 'insufficient-scope',
    detail: 'The bearer token lacks a scope that this operation requires.',
  },
  routeNotFound: { status: 404, code: 'route-not-found', detail: 'There is nothing at this path.' },
  methodNotAllowed: {
    status: 405,
    code: 'method-not-allowed',
    detail: 'This path does not support the method; see Allow.',
  },
  requestTimeout: { status: 408, code: 'request-timeout', detail: 'The request took too long to arrive.' },
  contentTooLarge: { status: 413, code: 'content-too-large', detail: 'The request body is too large.' },
  uriTooLong: { status: 414, code: 'uri-too-long', detail: 'The request line is too long.' },
  unsupportedMediaType: { status: 415, code: 'unsupported-media-type', detail: 'Requests must not carry a body.' },
  expectationFailed: {
    status: 417,
    code: 'expectation-failed',
    detail: 'The expectation of this request cannot be met.',
  },
  rateLimitExceeded: {
    status: 429,
    code: 'rate-limit-exceeded',
    detail: 'There were too many requests; see Retry-After.',
  },
  headerFieldsTooLarge: {
    status: 431,
    code: 'header-fields-too-large',
    detail: 'The request line and headers are too long.',
  },
  internalError: { status: 500, code: 'internal-error', detail: 'The service failed to process this request.' },
  overloaded: {
    status: 503,
    code: 'overloaded',
    detail: 'The service is too busy to process this request; try again shortly.',
  },
  keysUnavailable: {
    status: 503,
    code: 'keys-unavailable',
    detail: 'The bearer token cannot be verified: the keys of its issuer are unavailable.',
  },
} as const satisfies Readonly<Record<string, ProblemDefinition>>;

const BY_STATUS: ReadonlyMap<number, ProblemDefinition> = new Map(
  [...Object.values(PROBLEMS)].reverse().map((problem) => [problem.status, problem]),
);

/** The problem of an HTTP exception that has nothing but a status; the first of the list with this status. */
export function problemOfStatus(status: number): ProblemDefinition {
  return BY_STATUS.get(status) ?? { ...(status < 500 ? PROBLEMS.badRequest : PROBLEMS.internalError), status };
}
