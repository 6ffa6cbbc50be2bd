import { Injectable, type OnModuleDestroy } from '@nestjs/common';

export const LIFECYCLE_STATES = ['starting', 'ready', 'draining'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state of the process. */
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

  onModuleDestroy(): void {
    this.draining();
  }
}
