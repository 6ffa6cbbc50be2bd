import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/**
 * The connections to the external system, and the embedded sandbox. They are closed after the shutdown hooks of the
 * modules of an application that extends the service, which may still call the external system (D27): `AppModule`
 * provides this class, and Nest runs the shutdown hooks of global modules last.
 */
@Injectable()
export class Connections implements OnApplicationShutdown {
  private readonly closers: (() => unknown)[] = [];

  /** @param closer closes one connection; called once */
  add(closer: () => unknown): void {
    this.closers.push(closer);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((closer) => closer()));
  }
}
