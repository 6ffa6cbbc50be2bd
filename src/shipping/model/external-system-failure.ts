import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { CallFacts } from './query-result';

/** The external system gave no usable response to a query. */
export class ExternalSystemFailure extends UpstreamFailure {
  override readonly name = 'ExternalSystemFailure';

  constructor(
    { reason, message, retryAfterMs }: UpstreamFailure,
    readonly facts: CallFacts,
  ) {
    super(reason, message, retryAfterMs);
  }
}
