/**
 * The code uses a part of the service in a way that it does not support. `message` is for developers: it is logged, and
 * names classes, properties and options, never a value of a client or of the external system.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
