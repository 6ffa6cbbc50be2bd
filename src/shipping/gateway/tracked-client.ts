import { Client, type Dispatcher } from 'undici';

/** Tells whether the connection that carries a request has carried others before. */
export interface ConnectionUse {
  readonly reused: boolean;
}

/** A handler that wants to know its connection. */
export interface ConnectionAwareHandler extends Dispatcher.DispatchHandler {
  connection?: ConnectionUse;
}

/**
 * One pooled connection to the external system that counts the answers it has carried, so that a request which finds
 * a kept-alive connection dead can be told from one that was refused.
 */
export class TrackedClient extends Client implements ConnectionUse {
  private answers = 0;

  constructor(origin: URL, options: object) {
    super(origin, options);
    this.on('connect', () => {
      this.answers = 0;
    });
  }

  get reused(): boolean {
    return this.answers > 0;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as ConnectionAwareHandler).connection = this;
    return super.dispatch(options, handler);
  }

  /** A request on this connection was answered. */
  answered(): void {
    this.answers += 1;
  }
}
