import { Injectable, type OnModuleDestroy } from '@nestjs/common';

export const LIFECYCLE_STATES = ['starting', 'ready', 'draining'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state of the process. Readiness reports it, and the graceful shutdown sets it. */
@Injectable()
export class Lifecycle implements OnModuleDestroy {
  state: LifecycleState = 'starting';

  started(): void {
    if (this.state === 'starting') this.state = 'ready';
  }

  onModuleDestroy(): void {
    this.state = 'draining';
  }
}
