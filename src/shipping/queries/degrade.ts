import { Logger } from '@nestjs/common';
import { withoutMessage } from '../../http/error-description';
import { CallerLeft } from '../gateway/policy/caller-left';
import type { Answer, IncompletenessReason } from '../model/completeness';
import { ExternalSystemFailure } from '../model/external-system-failure';
import type { ShippingListQuery } from './shipping-query';

const logger = new Logger('ListFallback');

/**
 * Asks for a list, and answers with the query's empty body where anything fails: the body the specification wants, and
 * the reason beside it.
 *
 * @throws whatever `ask` throws where the caller is strict or gone
 */
export async function orEmpty<Body>(
  query: ShippingListQuery<Body>,
  ask: () => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  try {
    return await ask();
  } catch (error) {
    if (query.context.strict || error instanceof CallerLeft) throw error;
    return { body: query.emptyBody(), completeness: { level: 'unavailable', reason: reasonOf(error) } };
  }
}

function reasonOf(error: unknown): IncompletenessReason {
  if (error instanceof ExternalSystemFailure) return error.reason;
  logger.error(`Unexpected error: ${withoutMessage(error)}`);
  return 'internal';
}
