import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Metrics of authentication and rate limiting. */
@Injectable()
export class AccessMetrics {
  readonly failures: Counter<'failure'>;

  constructor(registry: Registry) {
    this.failures = new Counter({
      name: 'shipping_guard_failures_total',
      help: 'Requests counted by this replica alone because Redis was unavailable (limit), and requests refused because the keys of the token issuer were unavailable (keys)',
      labelNames: ['failure'],
      registers: [registry],
    });
    // A rate needs a first value: without these, alerts would miss the first failure.
    for (const failure of ['limit', 'keys']) this.failures.inc({ failure }, 0);
  }
}
