import { Logger } from '@nestjs/common';
import { logUnexpected, statusOf } from '../../../common/errors';
import { ClientDisconnectedError, UpstreamFailure } from '../../../resilience/upstream-failure';
import type { QueryResult } from '../../model/query-result';
import { unavailableBy } from '../../model/result-report';
import type { ShippingListQuery } from './shipping-query';

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
    if (!(error instanceof UpstreamFailure)) {
      logUnexpected(logger, error, { requestId, trace_id: traceparent.split('-')[1] });
    }
    const completeness = unavailableBy(error);
    report?.add({ completeness });
    return { body: query.emptyBody(), completeness };
  }
}
