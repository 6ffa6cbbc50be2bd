import type { IncompletenessReason } from './completeness';

/**
 * The external system did not give a usable reply.
 *
 * `message` is for logs and names no host, path, parameter or credential; callers see only the {@link reason}.
 */
export class ExternalSystemFailure extends Error {
  override readonly name: string = 'ExternalSystemFailure';

  constructor(
    readonly reason: Exclude<IncompletenessReason, 'internal'>,
    message: string,
    /** When trying again may help, in milliseconds from now; `undefined` where nobody knows. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}
