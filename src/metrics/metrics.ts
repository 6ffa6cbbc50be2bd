import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest } from '../http/request-log';
import { ExternalSystemFailure } from '../shipping/model/external-system-failure';
import { CallerLeft } from '../shipping/gateway/policy/caller-left';
import type { CacheObserver } from '../shipping/gateway/cache/cache-observer';
import type { CallObserver } from '../shipping/gateway/policy/call-observer';

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CIRCUIT_LEVEL = { closed: 0, 'half-open': 1, open: 2 } as const;

/** Every figure that the service publishes for Prometheus. Labels are bounded: no value of a caller is one. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Requests answered, by route template, status and completeness; 499 where the client left first',
    labelNames: ['method', 'route', 'status', 'completeness'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly calls = new Histogram({
    name: 'external_shipping_call_duration_seconds',
    help: 'Calls of the gateway as the queries see them, retries and waits included, by operation and outcome',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly attempts = new Histogram({
    name: 'external_shipping_attempt_duration_seconds',
    help: 'Attempts that reached for the external system, by outcome',
    labelNames: ['outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly queueWaits = new Histogram({
    name: 'external_shipping_queue_wait_seconds',
    help: 'Waits for a place among the concurrent calls',
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly events = new Counter({
    name: 'external_shipping_policy_events_total',
    help: 'What the call policy did: retried, shared, connection-replaced, refused by an open circuit or for want of a place',
    labelNames: ['event'],
    registers: [this.registry],
  });
  private readonly circuit = new Gauge({
    name: 'external_shipping_circuit_state',
    help: 'State of the circuit: 0 closed, 1 half-open, 2 open',
    registers: [this.registry],
  });

  private readonly cacheAnswers = new Counter({
    name: 'shipping_cache_requests_total',
    help: 'Calls that the cache served, by operation and result; expired, bypassed and miss went to the external system',
    labelNames: ['operation', 'result'],
    registers: [this.registry],
  });
  private readonly cacheFailures = new Counter({
    name: 'shipping_cache_store_failures_total',
    help: 'What went wrong with the shared store of the cache: a read, a write, or an entry that is none',
    labelNames: ['failure'],
    registers: [this.registry],
  });

  /** Hears what the cache does. */
  readonly cacheObserver: CacheObserver = {
    served: (operation, result) => {
      this.cacheAnswers.inc({ operation, result });
    },
    storeFailed: (failure) => {
      this.cacheFailures.inc({ failure });
    },
  };

  /** Hears what the call policy does. */
  readonly observer: Partial<CallObserver> = {
    attemptSettled: (outcome, durationMs) => {
      this.attempts.observe({ outcome }, durationMs / 1000);
    },
    queued: (waitMs) => {
      this.queueWaits.observe(waitMs / 1000);
    },
    retried: () => {
      this.events.inc({ event: 'retried' });
    },
    shared: () => {
      this.events.inc({ event: 'shared' });
    },
    connectionReplaced: () => {
      this.events.inc({ event: 'connection-replaced' });
    },
    refused: (reason) => {
      this.events.inc({ event: `refused-${reason}` });
    },
    circuitChanged: (state) => {
      this.circuit.set(CIRCUIT_LEVEL[state]);
    },
  };

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  requestAnswered({ method, route, status, completeness, durationMs }: AnsweredRequest): void {
    this.requests.observe({ method, route, status, completeness: completeness ?? 'none' }, durationMs / 1000);
  }

  /** Times one call of the gateway, whatever its outcome, and passes the outcome on. */
  async timeExternalCall<T>(operation: string, call: () => Promise<T>): Promise<T> {
    const start = performance.now();
    let outcome = 'success';
    try {
      return await call();
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      this.calls.observe({ operation, outcome }, (performance.now() - start) / 1000);
    }
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof ExternalSystemFailure) return error.reason;
  return error instanceof CallerLeft ? 'caller-left' : 'internal';
}
