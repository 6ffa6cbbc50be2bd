import { HttpException, Logger } from '@nestjs/common';
import { describeError } from '../../../common/errors';
import { ClientDisconnectedError, UpstreamFailure } from '../../../resilience/upstream-failure';
import type { QueryResult } from '../../model/query-result';
import type { ShippingListQuery } from './shipping-query';

const logger = new Logger('ListFallback');

/**
 * The result of a list query, or its empty body with the reason where anything fails, as the specification requires.
 * Strict clients get the failure. Refusals, such as `ForbiddenException`, are no failures; internal errors are logged.
 */
export async function orEmpty<Body>(
  query: ShippingListQuery<unknown, Body>,
  result: () => Promise<QueryResult<Body>>,
): Promise<QueryResult<Body>> {
  try {
    return await result();
  } catch (error) {
    if (query.context.strict || error instanceof ClientDisconnectedError || isRefusal(error)) throw error;
    const body = query.emptyBody();
    if (error instanceof UpstreamFailure) {
      return { body, completeness: { level: 'unavailable', reason: error.reason } };
    }
    logger.error(`Unexpected error: ${describeError(error)}`);
    return { body, completeness: { level: 'unavailable', reason: 'internal' } };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof HttpException && error.getStatus() < 500;
}
