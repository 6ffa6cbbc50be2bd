import { Injectable } from '@nestjs/common';

export const LIFECYCLE_STATES = ['starting', 'ready', 'draining'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** Where the process stands between its start and its end. */
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
