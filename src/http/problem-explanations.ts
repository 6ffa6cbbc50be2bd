import type { ProblemDefinition } from './problem';
import { PROBLEMS } from './problems';

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
  'method-not-allowed': {
    meaning: 'The path exists, and does not support the method. Allow names those that it supports.',
    retry: CHANGE_FIRST,
  },
  'request-timeout': {
    meaning: 'The request arrived too slowly: a request has to arrive within 10 seconds.',
    retry: 'Yes, on a new connection.',
  },
  'content-too-large': {
    meaning: 'The request has a body that is too large. No path reads a body.',
    retry: CHANGE_FIRST,
  },
  'uri-too-long': { meaning: 'The request line is too long.', retry: CHANGE_FIRST },
  'unsupported-media-type': { meaning: 'The request has a body. No path reads a body.', retry: CHANGE_FIRST },
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
