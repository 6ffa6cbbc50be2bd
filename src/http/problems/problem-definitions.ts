import { MAX_FAULTS, ProblemException, type ParameterFault, type ProblemDefinition } from './problem';

/** A problem and its explanation for the page of problems. */
export interface DocumentedProblem extends ProblemDefinition {
  /** Where there are several. */
  readonly statuses?: readonly number[];
  /** When it occurs; by default the detail. */
  readonly meaning?: string;
  /** Whether another try may succeed; by default not. */
  readonly retry?: string;
}

const AFTER_A_WHILE = 'Yes, after the seconds in Retry-After.';

/** Exceptions get the first problem of their status; the page shows the last one of a code. */
export const PROBLEMS = {
  badRequest: problem(400, 'bad-request', 'The request is malformed.'),
  invalidParameters: problem(400, 'invalid-parameters', 'Parameters are invalid.', {
    meaning: 'Parameters are invalid, repeated, missing, or unknown to a strict client. errors says what is wrong.',
  }),
  authenticationRequired: problem(401, 'authentication-required', 'A credential is required; see WWW-Authenticate.', {
    retry: 'Yes, with a credential.',
  }),
  invalidApiKey: problem(401, 'invalid-credentials', 'The API key is not accepted.'),
  invalidToken: problem(401, 'invalid-credentials', 'The bearer token is not accepted.'),
  expiredToken: problem(401, 'invalid-credentials', 'The bearer token has expired.', {
    meaning: 'The API key or the bearer token is not accepted, or the token has expired.',
    retry: 'Yes, with another credential.',
  }),
  forbidden: problem(403, 'forbidden', 'This request is not allowed.'),
  missingClaim: problem(403, 'forbidden', 'The credential lacks a claim that is required.', {
    meaning: 'This request is not allowed, or the credential lacks a claim that is required.',
  }),
  insufficientScope: problem(403, 'insufficient-scope', 'The bearer token lacks a scope that is required.', {
    retry: 'Yes, with a token that has the scope; WWW-Authenticate names it.',
  }),
  notFound: problem(404, 'not-found', 'What this path names does not exist.'),
  routeNotFound: problem(404, 'route-not-found', 'There is nothing at this path.'),
  methodNotAllowed: problem(405, 'method-not-allowed', 'This path does not support the method; see Allow.'),
  contentTooLarge: problem(413, 'content-too-large', 'The request body is too large.'),
  unsupportedMediaType: problem(415, 'unsupported-media-type', 'The media type of the body is not supported.'),
  rateLimitExceeded: problem(429, 'rate-limit-exceeded', 'There were too many requests.', { retry: AFTER_A_WHILE }),
  internalError: problem(500, 'internal-error', 'The service failed to process this request.', {
    retry: 'Once at most. Report the requestId where it fails again: the log has the cause under it.',
  }),
  serviceUnavailable: problem(503, 'service-unavailable', 'What this request needs is not available now.', {
    retry: 'Yes, after a while.',
  }),
  overloaded: problem(503, 'overloaded', 'The service is too busy to process this request.', { retry: AFTER_A_WHILE }),
  keysUnavailable: problem(503, 'keys-unavailable', 'The keys that verify the bearer token are unavailable.', {
    retry: AFTER_A_WHILE,
  }),
};

function problem(
  status: number,
  code: string,
  detail: string,
  more?: Pick<DocumentedProblem, 'meaning' | 'retry'>,
): DocumentedProblem {
  return { status, code, detail, ...more };
}

/** 400 with at most {@link MAX_FAULTS} invalid parameters. */
export function invalidParameters(faults: readonly ParameterFault[]): ProblemDefinition {
  const errors = faults.slice(0, MAX_FAULTS);
  const detail = errors.map(({ parameter, message }) => `${parameter} ${message}`).join('; ');
  return { ...PROBLEMS.invalidParameters, detail, errors };
}

/** 400 with the invalid parameters. */
export class InvalidParametersException extends ProblemException {
  constructor(faults: readonly ParameterFault[]) {
    super(invalidParameters(faults));
  }
}
