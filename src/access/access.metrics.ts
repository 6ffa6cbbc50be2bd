import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { notify } from '../common/errors';

/** `limit`: Redis was unavailable for rate limiting; `keys`: the keys of the token issuer were unavailable. */
const FAILURES = ['limit', 'keys'] as const;

/** Metrics of authentication and rate limiting. */
@Injectable()
export class AccessMetrics {
  private readonly failures: Counter<'failure'>;

  constructor(registry: Registry) {
    this.failures = new Counter({
      name: 'shipping_guard_failures_total',
      help: 'Requests counted by this replica alone because Redis was unavailable (limit), and requests refused because the keys of the token issuer were unavailable (keys)',
      labelNames: ['failure'],
      registers: [registry],
    });
    for (const failure of FAILURES) this.failures.inc({ failure }, 0);
  }

  failed(failure: (typeof FAILURES)[number]): void {
    notify(() => {
      this.failures.inc({ failure });
    });
  }
}
