import { MAX_FAULTS, ProblemException, type ParameterFault, type ProblemDefinition } from './problem';

/** A problem with what clients should know of it, for the page at its `type`. */
export interface DocumentedProblem extends ProblemDefinition {
  /** Its statuses, where its own is not the only one. */
  readonly statuses?: readonly number[];
  /** When it occurs, in whole sentences. */
  readonly meaning: string;
  /** Whether another try may succeed, in whole sentences. */
  readonly retry: string;
}

/** The request itself is at fault. */
export const CHANGE_FIRST = 'No: the same request fails again. Change it first.';
const AFTER_A_WHILE = 'Yes, after the seconds in Retry-After.';

const BAD_REQUEST = {
  status: 400,
  code: 'bad-request',
  detail: 'The request is malformed.',
  meaning: 'The request is malformed, names no host or names two.',
  retry: CHANGE_FIRST,
};

const INVALID_CREDENTIALS = {
  status: 401,
  code: 'invalid-credentials',
  meaning: 'The API key or the bearer token is not accepted, or the token has expired.',
  retry: 'Yes, with another credential.',
};

/** The problems of the platform. Each is defined here, once, for guards, hooks, the filter, the page and the document. */
export const PROBLEMS = {
  badRequest: BAD_REQUEST,
  invalidTarget: {
    ...BAD_REQUEST,
    detail: 'The path and the query string must be percent-encoded, and have no fragment.',
  },
  invalidParameters: {
    status: 400,
    code: 'invalid-parameters',
    detail: 'Limit must be an integer from 1 to 2147483647, in plain decimal digits',
    meaning:
      'A parameter is invalid, repeated, missing, or unknown to a strict client. errors names each, at most 20, with what is wrong.',
    retry: CHANGE_FIRST,
  },
  authenticationRequired: {
    status: 401,
    code: 'authentication-required',
    detail: 'This operation requires a credential; see WWW-Authenticate.',
    meaning: 'The path requires a credential, and the request has none. WWW-Authenticate names the accepted schemes.',
    retry: 'Yes, with a credential.',
  },
  invalidApiKey: { ...INVALID_CREDENTIALS, detail: 'The API key is not accepted.' },
  invalidToken: { ...INVALID_CREDENTIALS, detail: 'The bearer token is not accepted.' },
  expiredToken: { ...INVALID_CREDENTIALS, detail: 'The bearer token has expired.' },
  forbidden: {
    status: 403,
    code: 'forbidden',
    detail: 'This request is not allowed.',
    meaning: 'This client must not make this request.',
    retry: 'No.',
  },
  insufficientScope: {
    status: 403,
    code: 'insufficient-scope',
    detail: 'The bearer token lacks a scope that this operation requires.',
    meaning: 'The bearer token is valid, and lacks a scope that the path requires. WWW-Authenticate names the scopes.',
    retry: 'Yes, with a token that has the scope.',
  },
  routeNotFound: {
    status: 404,
    code: 'route-not-found',
    detail: 'There is nothing at this path.',
    meaning: 'There is nothing at this path.',
    retry: CHANGE_FIRST,
  },
  notFound: {
    status: 404,
    code: 'not-found',
    detail: 'What this path names does not exist.',
    meaning: 'The service knows the path, and what it names does not exist.',
    retry: CHANGE_FIRST,
  },
  methodNotAllowed: {
    status: 405,
    code: 'method-not-allowed',
    detail: 'This path does not support the method; see Allow.',
    meaning: 'The path exists, and does not support the method. Allow names those that it supports.',
    retry: CHANGE_FIRST,
  },
  requestTimeout: {
    status: 408,
    code: 'request-timeout',
    detail: 'The request took too long to arrive.',
    meaning: 'The request arrived too slowly: a request has to arrive within 10 seconds.',
    retry: 'Yes, on a new connection.',
  },
  contentTooLarge: {
    status: 413,
    code: 'content-too-large',
    detail: 'The request body is too large.',
    meaning: 'The request has a body that is too large.',
    retry: CHANGE_FIRST,
  },
  uriTooLong: {
    status: 414,
    code: 'uri-too-long',
    detail: 'The request line is too long.',
    meaning: 'The request line is too long.',
    retry: CHANGE_FIRST,
  },
  unsupportedMediaType: {
    status: 415,
    code: 'unsupported-media-type',
    detail: 'The media type of the request body is not supported.',
    meaning: 'The path does not read bodies of this media type.',
    retry: CHANGE_FIRST,
  },
  expectationFailed: {
    status: 417,
    code: 'expectation-failed',
    detail: 'The expectation of this request cannot be met.',
    meaning: 'The request has an Expect header that the service does not know.',
    retry: CHANGE_FIRST,
  },
  rateLimitExceeded: {
    status: 429,
    code: 'rate-limit-exceeded',
    detail: 'There were too many requests; see Retry-After.',
    meaning: 'The client sent more requests than the limit allows in a window of time. RateLimit shows the limit.',
    retry: AFTER_A_WHILE,
  },
  headerFieldsTooLarge: {
    status: 431,
    code: 'header-fields-too-large',
    detail: 'The request line and headers are too long.',
    meaning: 'The request line and the headers together exceed 16 KiB.',
    retry: CHANGE_FIRST,
  },
  internalError: {
    status: 500,
    code: 'internal-error',
    detail: 'The service failed to process this request.',
    meaning: 'The service failed to process the request. Its log has the cause under the requestId.',
    retry: 'Once at most. Report the requestId where it fails again.',
  },
  serviceUnavailable: {
    status: 503,
    code: 'service-unavailable',
    detail: 'What this request needs is not available now.',
    meaning: 'What the request needs is not available now; detail says what.',
    retry: 'Yes, after a while.',
  },
  overloaded: {
    status: 503,
    code: 'overloaded',
    detail: 'The service is too busy to process this request; try again shortly.',
    meaning: 'The service is too busy: too many requests are in progress, or too many bytes of responses are unsent.',
    retry: AFTER_A_WHILE,
  },
  keysUnavailable: {
    status: 503,
    code: 'keys-unavailable',
    detail: 'The bearer token cannot be verified: the keys of its issuer are unavailable.',
    meaning: 'The bearer token cannot be verified, because the keys of its issuer are unavailable.',
    retry: AFTER_A_WHILE,
  },
} as const satisfies Readonly<Record<string, DocumentedProblem>>;

/** 400 with one entry for each invalid parameter, {@link MAX_FAULTS} at most. */
export class InvalidParametersException extends ProblemException {
  constructor(errors: readonly ParameterFault[]) {
    super(invalidParameters(errors));
  }
}

/** 400 with each invalid parameter, {@link MAX_FAULTS} at most. */
export function invalidParameters(faults: readonly ParameterFault[]): ProblemDefinition {
  const errors = faults.slice(0, MAX_FAULTS);
  const detail = errors.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
  return { ...PROBLEMS.invalidParameters, detail, errors };
}
