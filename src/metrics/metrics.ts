import { Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { GUARD_FAILURES, type GuardFailure } from '../access/guard-failure';
import type { AnsweredRequest } from '../http/request-log';
import type { CallTiming } from '../shipping/model/call-context';
import type { AttemptOutcome, CallObserver } from '../shipping/gateway/policy/call-observer';
import type { CallPolicyState } from '../shipping/gateway/policy/call-policy';
import { outcomeOf } from '../telemetry/outcome';
import { LabelledHistogram } from './labelled-histogram';
import { STORE_FAILURES, type CacheObserver } from '../shipping/gateway/cache/cache-observer';

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** The methods that have a meaning of their own (RFC 9110, RFC 5789); all others are counted as one. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH']);
/** Counted from zero on, so that the first of them shows in a rate. */
const POLICY_EVENTS = ['retried', 'shared', 'connection-replaced', 'refused-circuit-open', 'refused-saturated'];
const CIRCUIT_LEVEL = { closed: 0, 'half-open': 1, open: 2 } as const;

/** Every figure that the service publishes for Prometheus. Labels are bounded: no value of a caller is one. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new LabelledHistogram({
    name: 'http_server_request_duration_seconds',
    help: 'Requests answered, by route template, status and completeness; 499 where the client left first',
    labelNames: ['method', 'route', 'status', 'completeness'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly calls = new LabelledHistogram({
    name: 'external_shipping_call_duration_seconds',
    help: 'Calls of the gateway as the queries see them, retries and waits included, by operation and outcome',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly queries = new LabelledHistogram({
    name: 'shipping_query_duration_seconds',
    help: 'Queries from the bus to their answer, by name and outcome: the completeness of the answer, or why there is none',
    labelNames: ['query', 'outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  private readonly attempts = new LabelledHistogram({
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

  private readonly guardFailures = new Counter({
    name: 'shipping_guard_failures_total',
    help: 'Requests that nobody could decide on: not limited for want of Redis, refused for want of the keys of the token issuer',
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
      this.attempts.observe(durationMs / 1000, outcome);
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
    countEventLoopTime(this.registry);
    for (const event of POLICY_EVENTS) this.events.inc({ event }, 0);
    for (const failure of STORE_FAILURES) this.cacheFailures.inc({ failure }, 0);
    for (const failure of GUARD_FAILURES) this.guardFailures.inc({ failure }, 0);
  }

  /** Shows how many requests are being answered, asked for at each scrape. */
  showActiveRequests(count: () => number): void {
    this.gauge('http_server_active_requests', 'Requests being answered', count);
  }

  /** Shows the calls in flight and waiting, asked for at each scrape, beside how many there may be. */
  showCalls(state: () => CallPolicyState, limits: { maxConcurrent: number; maxQueue: number }): void {
    const about = 'external_shipping_calls';
    this.gauge(`${about}_in_flight`, 'Calls in flight at the external system', () => state().inFlight);
    this.gauge(`${about}_in_flight_limit`, 'Calls that may be in flight', () => limits.maxConcurrent);
    this.gauge(`${about}_waiting`, 'Calls waiting for a place', () => state().waiting);
    this.gauge(`${about}_waiting_limit`, 'Calls that may wait for a place', () => limits.maxQueue);
  }

  requestAnswered({ method, route, status, completeness, durationMs }: AnsweredRequest): void {
    const known = METHODS.has(method) ? method : '_OTHER';
    this.requests.observe(durationMs / 1000, known, route, status, completeness ?? 'none');
  }

  guardFailed(failure: GuardFailure): void {
    this.guardFailures.inc({ failure });
  }

  queryAnswered(query: string, outcome: string, durationMs: number): void {
    this.queries.observe(durationMs / 1000, query, outcome);
  }

  /** Times one call of the gateway, whatever its outcome, and passes the outcome on; notes the time where asked to. */
  timeExternalCall<T>(operation: string, call: () => Promise<T>, timing?: CallTiming): Promise<T> {
    const start = performance.now();
    const end = (outcome: AttemptOutcome): void => {
      const durationMs = performance.now() - start;
      this.calls.observe(durationMs / 1000, operation, outcome);
      if (timing !== undefined) timing.externalMs = (timing.externalMs ?? 0) + durationMs;
    };
    return call().then(
      (answer) => {
        end('success');
        return answer;
      },
      (error: unknown) => {
        end(outcomeOf(error));
        throw error;
      },
    );
  }

  private gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }
}

/** The share of `active` in any stretch of time is the utilisation of the event loop. */
function countEventLoopTime(registry: Registry): void {
  new Counter({
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time that the event loop spent working (active) and waiting for something to do (idle)',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { active, idle } = performance.eventLoopUtilization();
      this.reset();
      this.inc({ state: 'active' }, active / 1000);
      this.inc({ state: 'idle' }, idle / 1000);
    },
  });
}
