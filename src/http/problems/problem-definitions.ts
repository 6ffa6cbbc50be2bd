import type { ProblemDefinition } from './problem';

/** The problems of the platform. Each is defined here, once, for guards, hooks, the filter and the OpenAPI document. */
export const PROBLEMS = {
  badRequest: { status: 400, code: 'bad-request', detail: 'The request is malformed.' },
  invalidTarget: {
    status: 400,
    code: 'bad-request',
    detail: 'The path and the query string must be percent-encoded, and have no fragment.',
  },
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
  notFound: { status: 404, code: 'not-found', detail: 'What this path names does not exist.' },
  methodNotAllowed: {
    status: 405,
    code: 'method-not-allowed',
    detail: 'This path does not support the method; see Allow.',
  },
  requestTimeout: { status: 408, code: 'request-timeout', detail: 'The request took too long to arrive.' },
  contentTooLarge: { status: 413, code: 'content-too-large', detail: 'The request body is too large.' },
  uriTooLong: { status: 414, code: 'uri-too-long', detail: 'The request line is too long.' },
  unsupportedMediaType: {
    status: 415,
    code: 'unsupported-media-type',
    detail: 'The media type of the request body is not supported.',
  },
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

/** What clients should know of a problem, for the page at its `type`. */
export interface ExplainedProblem {
  /** An example; its `code` is that of the problem. */
  readonly example: ProblemDefinition;
  /** Its statuses, where that of the example is not the only one. */
  readonly statuses?: readonly number[];
  /** When it occurs, in whole sentences. */
  readonly meaning: string;
  /** Whether another try may succeed, in whole sentences. */
  readonly retry: string;
}

type PlatformProblem = (typeof PROBLEMS)[keyof typeof PROBLEMS];
type Explanation = Pick<ExplainedProblem, 'meaning' | 'retry'>;

/** The request itself is at fault. */
export const CHANGE_FIRST = 'No: the same request fails again. Change it first.';
const AFTER_A_WHILE = 'Yes, after the seconds in Retry-After.';

const EXPLANATIONS: Readonly<Record<PlatformProblem['code'], Explanation>> = {
  'bad-request': { meaning: 'The request is malformed, names no host or names two.', retry: CHANGE_FIRST },
  'authentication-required': {
    meaning: 'The path requires a credential, and the request has none. WWW-Authenticate names the accepted schemes.',
    retry: 'Yes, with a credential.',
  },
  'invalid-credentials': {
    meaning: 'The API key or the bearer token is not accepted, or the token has expired.',
    retry: 'Yes, with another credential.',
  },
  forbidden: { meaning: 'This client must not make this request.', retry: 'No.' },
  'insufficient-scope': {
    meaning: 'The bearer token is valid, and lacks a scope that the path requires. WWW-Authenticate names the scopes.',
    retry: 'Yes, with a token that has the scope.',
  },
  'route-not-found': { meaning: 'There is nothing at this path.', retry: CHANGE_FIRST },
  'not-found': { meaning: 'The service knows the path, and what it names does not exist.', retry: CHANGE_FIRST },
  'method-not-allowed': {
    meaning: 'The path exists, and does not support the method. Allow names those that it supports.',
    retry: CHANGE_FIRST,
  },
  'request-timeout': {
    meaning: 'The request arrived too slowly: a request has to arrive within 10 seconds.',
    retry: 'Yes, on a new connection.',
  },
  'content-too-large': {
    meaning: 'The request has a body that is too large.',
    retry: CHANGE_FIRST,
  },
  'uri-too-long': { meaning: 'The request line is too long.', retry: CHANGE_FIRST },
  'unsupported-media-type': { meaning: 'The path does not read bodies of this media type.', retry: CHANGE_FIRST },
  'expectation-failed': {
    meaning: 'The request has an Expect header that the service does not know.',
    retry: CHANGE_FIRST,
  },
  'rate-limit-exceeded': {
    meaning: 'The client sent more requests than the limit allows in a window of time. RateLimit shows the limit.',
    retry: AFTER_A_WHILE,
  },
  'header-fields-too-large': {
    meaning: 'The request line and the headers together exceed 16 KiB.',
    retry: CHANGE_FIRST,
  },
  'internal-error': {
    meaning: 'The service failed to process the request. Its log has the cause under the requestId.',
    retry: 'Once at most. Report the requestId where it fails again.',
  },
  overloaded: {
    meaning: 'The service is too busy: too many requests are in progress, or it is short of processor time.',
    retry: AFTER_A_WHILE,
  },
  'keys-unavailable': {
    meaning: 'The bearer token cannot be verified, because the keys of its issuer are unavailable.',
    retry: AFTER_A_WHILE,
  },
};

/** The problems of the platform, one of each code. */
export const EXPLAINED_PROBLEMS: readonly ExplainedProblem[] = Object.values(PROBLEMS)
  .filter(({ code }, index, all) => all.findIndex((other) => other.code === code) === index)
  .map((example) => ({ example, ...EXPLANATIONS[example.code] }));
