import { Logger } from '@nestjs/common';
import { Query } from '@nestjs/cqrs';
import { logUnexpected, statusOf } from '../../../common/errors';
import { ClientDisconnectedError, UpstreamFailure } from '../../../resilience/upstream-failure';
import type { QueryContext } from '../../model/query-context';
import { type QueryResult, unavailableBy } from '../../model/query-result';
import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, OrderId, SearchTerm, Status, ToDate } from './parameters';

export { ConvertedByOptions } from '../../../http/parameters/parameter-class';

/** A query: the parameters of a request, and its context. */
export abstract class ShippingQuery<Params, Body> extends Query<QueryResult<Body>> {
  constructor(
    readonly params: Params,
    readonly context: QueryContext,
  ) {
    super();
  }
}

/** A query for a list, which is empty where the external system fails; see `orEmpty`. */
export abstract class ShippingListQuery<Params, Body> extends ShippingQuery<Params, Body> {
  abstract emptyBody(): Body;
}

/** The filters that both lists have, in the specification's names. A record has to match all that are given. */
export class ListFilters {
  @SearchTerm() SearchTerm?: string;
  @OrderId() OrderId?: string;
  @Status() Status?: ShippingStatus;
  @FromDate() FromDate?: Date;
  @ToDate() ToDate?: Date;
}

const logger = new Logger('ListFallback');

/**
 * Returns the result. Where the external system fails or the service has an error, it is an empty body with the reason.
 *
 * @throws errors with a 4xx or 501, ClientDisconnectedError, and any failure where the client asked for errors by
 * `handling=strict`
 */
export async function orEmpty<Body>(
  query: ShippingListQuery<unknown, Body>,
  result: () => Promise<QueryResult<Body>>,
): Promise<QueryResult<Body>> {
  try {
    return await result();
  } catch (error) {
    // A client can mend a request that gets a 4xx, and 501 does not pass: an empty list would hide both.
    const status = statusOf(error) ?? 500;
    const isForClient = status < 500 || status === 501;
    if (query.context.strict || error instanceof ClientDisconnectedError || isForClient) throw error;
    const { requestId, traceparent, report } = query.context;
    const ids = { requestId, trace_id: traceparent.split('-')[1] };
    if (!(error instanceof UpstreamFailure)) logUnexpected(logger, error, ids);
    const completeness = unavailableBy(error);
    report?.add({ completeness });
    return { body: query.emptyBody(), completeness };
  }
}
