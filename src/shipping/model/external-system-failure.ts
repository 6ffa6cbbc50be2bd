import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { CallFacts } from './query-result';

/** The external system gave no usable response to a query. */
export class ExternalSystemFailure extends UpstreamFailure {
  override readonly name = 'ExternalSystemFailure';

  constructor(
    { reason, message, retryAfterMs }: UpstreamFailure,
    readonly facts: CallFacts,
    /** Whether every client gets the status of the reason, not strict clients only. */
    readonly forEveryClient = false,
  ) {
    super(reason, message, retryAfterMs);
  }
}
