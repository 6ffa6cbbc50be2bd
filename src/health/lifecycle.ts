import { Injectable, type OnModuleDestroy } from '@nestjs/common';

export const LIFECYCLE_STATES = ['starting', 'ready', 'draining'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state of the process from start to shutdown. */
@Injectable()
export class Lifecycle implements OnModuleDestroy {
  private current: LifecycleState = 'starting';

  get state(): LifecycleState {
    return this.current;
  }

  started(): void {
    if (this.current === 'starting') this.current = 'ready';
  }

  draining(): void {
    this.current = 'draining';
  }

  /** Also where the application is closed without a signal. */
  onModuleDestroy(): void {
    this.draining();
  }
}
