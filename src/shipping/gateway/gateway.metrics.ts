import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { counter, gauge, SECONDS_BUCKETS } from '../../observability/metrics/metrics.module';
import { type CallObserver, type CallPolicy, POLICY_EVENTS, type PolicyEvent } from '../../resilience/call-policy';
import type { CallOutcome } from '../../resilience/upstream-failure';

/**
 * Calls give up after one second, and a timer is a little late: with 2.5 as the next bound, they would look like 2 s.
 */
const WAIT_BUCKETS = [...SECONDS_BUCKETS.filter((bound) => bound <= 1), 1.1];
const STORE_FAILURES = ['read', 'write', 'entry'] as const;
export type StoreFailure = (typeof STORE_FAILURES)[number];
const CIRCUIT_LEVEL = { closed: 0, 'half-open': 1, open: 2 } as const;

/**
 * Counts and measures attempts, waits and events of the call policy, requests to the cache and failures of its store,
 * for the dashboard and the alerts.
 */
@Injectable()
export class GatewayMetrics implements CallObserver {
  readonly cacheRequests: Counter<'operation' | 'result'>;
  readonly storeFailures: Counter<'failure'>;
  private readonly attempts: Histogram<'outcome'>;
  private readonly queueWaits: Histogram;
  private readonly events: Counter<'event'>;
  private readonly certificates: Gauge<'certificate'>;

  constructor(private readonly registry: Registry) {
    this.attempts = new Histogram({
      name: 'external_shipping_attempt_duration_seconds',
      help: 'Duration of single attempts to call the external system, by outcome',
      labelNames: ['outcome'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    });
    this.queueWaits = new Histogram({
      name: 'external_shipping_queue_wait_seconds',
      help: 'Waiting times for a slot of the concurrency limit',
      buckets: WAIT_BUCKETS,
      registers: [registry],
    });
    this.certificates = new Gauge({
      name: 'external_shipping_certificate_expiry_timestamp_seconds',
      help: 'When the certificates of TLS with the external system expire: its own (server), and ours (client)',
      labelNames: ['certificate'],
      registers: [registry],
    });
    const help = `Events of the call policy: ${POLICY_EVENTS.join(', ')}`;
    this.events = counter(registry, 'external_shipping_policy_events_total', help, 'event', POLICY_EVENTS);
    this.cacheRequests = new Counter({
      name: 'shipping_cache_requests_total',
      help: 'Requests served with the cache, by operation and result: hit, miss or stale',
      labelNames: ['operation', 'result'],
      registers: [registry],
    });
    const ofStore = 'Failed reads and writes of the shared store, and invalid entries';
    this.storeFailures = counter(registry, 'shipping_cache_store_failures_total', ofStore, 'failure', STORE_FAILURES);
  }

  showState(state: () => CallPolicy['state'], limits: { maxConcurrent: number; maxQueue: number }): void {
    new Gauge({
      name: 'external_shipping_circuit_state',
      help: 'State of the circuit breaker of each operation: 0 closed, 1 half-open, 2 open',
      labelNames: ['operation'],
      registers: [this.registry],
      collect() {
        for (const [operation, circuit] of Object.entries(state().circuits)) {
          this.set({ operation }, CIRCUIT_LEVEL[circuit]);
        }
      },
    });
    const prefix = 'external_shipping_calls';
    gauge(this.registry, `${prefix}_in_flight`, 'Calls in flight', () => state().inFlight);
    gauge(this.registry, `${prefix}_in_flight_limit`, 'Limit of calls in flight', () => limits.maxConcurrent);
    gauge(this.registry, `${prefix}_waiting`, 'Calls waiting for a slot', () => state().waiting);
    gauge(this.registry, `${prefix}_waiting_limit`, 'Limit of calls waiting for a slot', () => limits.maxQueue);
  }

  certificateSeen(certificate: 'server' | 'client', validTo: string): void {
    this.certificates.set({ certificate }, Date.parse(validTo) / 1000);
  }

  attemptSettled(outcome: CallOutcome, durationMs: number): void {
    this.attempts.observe({ outcome }, durationMs / 1000);
  }

  queued(waitMs: number): void {
    this.queueWaits.observe(waitMs / 1000);
  }

  event(event: PolicyEvent): void {
    this.events.inc({ event });
  }
}
