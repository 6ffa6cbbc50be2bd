import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/**
 * The connections to other systems, and the embedded sandbox. They are closed after the shutdown hooks of all modules
 * (D27): a hook of an application that extends the service may still call the external system, and Nest does not run
 * the hooks in an order that the service could choose.
 */
@Injectable()
export class Connections implements OnApplicationShutdown {
  private readonly closers: (() => unknown)[] = [];
  /**
   * Set by `configureApp`, after which `app.close()` calls {@link close} when all hooks have finished. An application
   * without HTTP does not call `configureApp`, so that the hook below closes the connections.
   */
  closeAfterHooks = false;

  /** @param closer closes one connection; called once */
  add(closer: () => unknown): void {
    this.closers.push(closer);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.closeAfterHooks) await this.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((closer) => closer()));
  }
}
