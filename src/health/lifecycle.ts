import { Injectable } from '@nestjs/common';

export const LIFECYCLE_STATES = ['starting', 'ready', 'draining'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state of the process from start to shutdown. */
@Injectable()
export class Lifecycle {
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
}
