import { Injectable } from '@nestjs/common';
import { type Counter, Registry } from 'prom-client';
import { counter } from '../observability/metrics/instruments';

/** Metrics of authentication and rate limiting. */
@Injectable()
export class AccessMetrics {
  readonly failures: Counter<'failure'>;

  constructor(registry: Registry) {
    const help =
      'Requests counted by this replica alone because Redis was unavailable (limit), and requests refused because the keys of the token issuer were unavailable (keys)';
    this.failures = counter(registry, 'shipping_guard_failures_total', help, 'failure', ['limit', 'keys']);
  }
}
