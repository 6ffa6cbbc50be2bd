import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/**
 * The connections to other systems, and the embedded sandbox. They close after the shutdown hooks of all modules, whatever
 * the order of the modules, because a job of a team that ends in such a hook may still call the gateway (D27).
 */
@Injectable()
export class Connections implements OnApplicationShutdown {
  private readonly closers: (() => unknown)[] = [];
  /** Set by `configureApp`, which calls {@link close} after all hooks; in an application without HTTP nobody does. */
  closeAfterHooks = false;

  /** @param closer closes one of them; called once */
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
