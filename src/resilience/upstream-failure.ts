/** Why the upstream gave no usable response; `internal`: an error of the service itself. */
export const FAILURE_REASONS = [
  'upstream-timeout',
  'upstream-unreachable',
  'upstream-error',
  'bad-reply',
  'circuit-open',
  'saturated',
  'internal',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * The upstream gave no usable response.
 *
 * `message` is for logs and holds no host, path, parameter or credential; clients see only the {@link reason}.
 */
export class UpstreamFailure extends Error {
  override readonly name: string = 'UpstreamFailure';

  constructor(
    readonly reason: Exclude<FailureReason, 'internal'>,
    message: string,
    /** When another try may succeed, in milliseconds from now; `undefined` where unknown. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}
