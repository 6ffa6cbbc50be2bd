import { MAX_FAULTS, ProblemException, type ParameterFault, type ProblemDefinition } from './problem';

/** A problem that the page of problems explains by its detail, with its statuses where there are several. */
export interface DocumentedProblem extends ProblemDefinition {
  readonly statuses?: readonly number[];
}

const problem = (status: number, code: string, detail: string): ProblemDefinition => ({ status, code, detail });

/** Each is the problem of its status, which exceptions get that have no problem of their own. */
export const STATUS_PROBLEMS = {
  badRequest: problem(400, 'bad-request', 'The request is malformed.'),
  authenticationRequired: problem(401, 'authentication-required', 'A credential is required; see WWW-Authenticate.'),
  forbidden: problem(403, 'forbidden', 'This request is not allowed.'),
  notFound: problem(404, 'not-found', 'What this path names does not exist.'),
  methodNotAllowed: problem(405, 'method-not-allowed', 'This path does not support the method; see Allow.'),
  contentTooLarge: problem(413, 'content-too-large', 'The request body is too large.'),
  unsupportedMediaType: problem(415, 'unsupported-media-type', 'The media type of the body is not supported.'),
  rateLimitExceeded: problem(429, 'rate-limit-exceeded', 'There were too many requests; see Retry-After.'),
  internalError: problem(500, 'internal-error', 'The service failed to process this request.'),
  serviceUnavailable: problem(503, 'service-unavailable', 'What this request needs is not available now.'),
};

const EXTERNAL_SYSTEM_FAILED: DocumentedProblem = {
  ...problem(500, 'external-system-failed', 'The external shipping system gave no usable response.'),
  statuses: [500, 502, 503, 504],
};

export const PROBLEMS = {
  ...STATUS_PROBLEMS,
  invalidParameters: problem(400, 'invalid-parameters', 'Parameters are invalid, repeated, missing or unknown.'),
  invalidApiKey: problem(401, 'invalid-credentials', 'The API key is not accepted.'),
  invalidToken: problem(401, 'invalid-credentials', 'The bearer token is not accepted.'),
  expiredToken: problem(401, 'invalid-credentials', 'The bearer token has expired.'),
  missingClaim: problem(403, 'forbidden', 'The credential lacks a claim that is required.'),
  insufficientScope: problem(403, 'insufficient-scope', 'The bearer token lacks a scope; see WWW-Authenticate.'),
  routeNotFound: problem(404, 'route-not-found', 'There is nothing at this path.'),
  externalSystemFailed: EXTERNAL_SYSTEM_FAILED,
  overloaded: problem(503, 'overloaded', 'The service is too busy to process this request; see Retry-After.'),
  keysUnavailable: problem(503, 'keys-unavailable', 'The keys that verify the bearer token are unavailable.'),
};

/** 400 with at most {@link MAX_FAULTS} invalid parameters. */
export class InvalidParametersException extends ProblemException {
  constructor(faults: readonly ParameterFault[]) {
    const errors = faults.slice(0, MAX_FAULTS);
    const detail = errors.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
    super({ ...PROBLEMS.invalidParameters, detail, errors });
  }
}
