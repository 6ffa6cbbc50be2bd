import { HttpStatus } from '@nestjs/common';
import { ProblemException } from '../../http/problems/problem';
import type { DocumentedProblem } from '../../http/problems/problem-definitions';
import type { CacheReport, QueryResult } from './query-result';

export const SHIPPING_NOT_FOUND = {
  status: HttpStatus.NOT_FOUND,
  code: 'shipping-not-found',
  detail: 'No shipping matches.',
  meaning: 'A single lookup found no record: the identifier does not exist, or no record matches all criteria.',
  retry: 'No: the response is the same until the record exists.',
} as const satisfies DocumentedProblem;

export const EXTERNAL_SYSTEM_FAILED = {
  status: HttpStatus.INTERNAL_SERVER_ERROR,
  statuses: [500, 502, 503, 504],
  code: 'external-system-failed',
  detail: 'The external shipping system gave no usable response.',
  meaning:
    'The external shipping system gave no usable response; reason says why. Single lookups respond with 500. Strict ' +
    'clients (Prefer: handling=strict) get 502 for an error or an invalid response, 503 where the system is ' +
    'unreachable or calls to it are refused for now, and 504 where it did not respond in time.',
  retry: 'Yes. Wait for the seconds in Retry-After; without that header, wait some seconds.',
} as const satisfies DocumentedProblem;

/** No record matches. */
export class ShippingNotFoundException extends ProblemException {
  constructor(readonly cache?: CacheReport) {
    super(SHIPPING_NOT_FOUND);
  }
}

/** @throws {ShippingNotFoundException} where the body is `undefined` */
export function foundOrThrow<Body>(result: QueryResult<Body | undefined>): QueryResult<Body> {
  if (result.body === undefined) throw new ShippingNotFoundException(result.cache);
  return result as QueryResult<Body>;
}
