import { HttpStatus } from '@nestjs/common';
import { invalidParameters, ProblemException, type ProblemDefinition } from '../../http/problems/problem';
import { CHANGE_FIRST, type ExplainedProblem } from '../../http/problems/problem-definitions';
import type { CacheReport, QueryResult } from './query-result';

/** No record matches a single lookup. */
export const SHIPPING_NOT_FOUND: ProblemDefinition = {
  status: HttpStatus.NOT_FOUND,
  code: 'shipping-not-found',
  detail: 'No shipping matches.',
};

/** The external system gave no usable response; a reason is added. */
export const EXTERNAL_SYSTEM_FAILED: ProblemDefinition = {
  status: HttpStatus.INTERNAL_SERVER_ERROR,
  code: 'external-system-failed',
  detail: 'The external shipping system gave no usable response.',
};

/** The problems of the operations, for their pages. */
export const EXPLAINED_SHIPPING_PROBLEMS: readonly ExplainedProblem[] = [
  {
    example: invalidParameters([
      { parameter: 'Limit', message: 'must be an integer from 1 to 2147483647, in plain decimal digits' },
    ]),
    meaning:
      'A parameter is invalid, repeated, missing, or unknown to a strict client. errors names each, with what is wrong; ' +
      'at most 20 are listed.',
    retry: CHANGE_FIRST,
  },
  {
    example: SHIPPING_NOT_FOUND,
    meaning: 'A single lookup found no record: the identifier does not exist, or no record matches all criteria.',
    retry: 'No: the response is the same until the record exists.',
  },
  {
    example: { ...EXTERNAL_SYSTEM_FAILED, reason: 'upstream-timeout' },
    statuses: [500, 502, 503, 504],
    meaning:
      'The external shipping system gave no usable response; reason says why. Single lookups respond with 500. Strict ' +
      'clients (Prefer: handling=strict) get 502 for an error or an invalid response, 503 where the system is ' +
      'unreachable or calls to it are refused for now, and 504 where it did not respond in time.',
    retry: 'Yes. Wait for the seconds in Retry-After; without that header, wait some seconds.',
  },
];

/** No record matches a single lookup. */
export class ShippingNotFoundException extends ProblemException {
  /** @param cache how it served the call */
  constructor(readonly cache?: CacheReport) {
    super(SHIPPING_NOT_FOUND);
  }
}

/** @throws {ShippingNotFoundException} where the body is `undefined` */
export function foundOrThrow<Body>(result: QueryResult<Body | undefined>): QueryResult<Body> {
  if (result.body === undefined) throw new ShippingNotFoundException(result.cache);
  return result as QueryResult<Body>;
}
