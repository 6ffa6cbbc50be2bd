import { HttpException, Logger } from '@nestjs/common';
import { Query } from '@nestjs/cqrs';
import { describeError } from '../../../common/errors';
import { ClientDisconnectedError, UpstreamFailure } from '../../../resilience/upstream-failure';
import type { QueryContext } from '../../model/query-context';
import type { QueryResult } from '../../model/query-result';

const logger = new Logger('ListFallback');

/** A query: its parameters, and the context of its request. */
export abstract class ShippingQuery<Params, Body> extends Query<QueryResult<Body>> {
  constructor(
    readonly params: Params,
    readonly context: QueryContext,
  ) {
    super();
  }
}

/** A query that results in an empty list where the external system fails, unless the client is strict: `orEmpty`. */
export abstract class ShippingListQuery<Params, Body> extends ShippingQuery<Params, Body> {
  abstract emptyBody(): Body;
}

/**
 * The result of a list query, or its empty body with the reason where anything fails. Strict clients get the failure.
 * Refusals, such as `ForbiddenException`, are no failures; internal errors are logged.
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
