/** The client disconnected before its response. No metric counts this as a failure of the upstream. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';

  constructor() {
    super('the client disconnected before the call ended');
  }
}
