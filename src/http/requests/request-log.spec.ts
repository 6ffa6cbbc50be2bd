import fastify, { type HTTPMethods } from 'fastify';
import { Registry } from 'prom-client';
import type { LogDestination } from '../../observability/logging/log-destination';
import { continueTrace } from '../../observability/tracing/tracing';
import { observeRequests, RequestMetrics } from './request-log';
import { RequestRecord } from './request-record';

const registry = new Registry();
const metrics = new RequestMetrics(registry);
const TRACE = continueTrace('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');

interface Given {
  readonly method?: HTTPMethods | 'PROPFIND';
  readonly status?: number;
  readonly path?: string;
  readonly purpose?: 'management';
  /** What is known of the request when its response is sent. */
  readonly known?: Partial<RequestRecord>;
  readonly level?: number;
}

/** The log lines of a request to `/orders/:id`. */
async function linesOf(given: Given): Promise<Record<string, unknown>[]> {
  const { method = 'GET', status = 200, path = '/orders/7', purpose, known, level = 20 } = given;
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line) as Record<string, unknown>);
  const app = fastify({ genReqId: () => 'r-1' })
    .addHttpMethod('PROPFIND')
    .decorateRequest('record');
  app.addHook('onRequest', (request, _, done) => {
    request.record = Object.assign(new RequestRecord(TRACE, request.routeOptions), known);
    done();
  });
  observeRequests(app, metrics, { write } as unknown as LogDestination, level);
  app.route({ method, url: '/orders/:id', config: { purpose }, handler: (_, reply) => reply.status(status).send('') });
  await app.inject({ method: method as 'GET', url: path });
  await app.close();
  return lines;
}

describe('D39 the log line of a request', () => {
  const [complete, partial] = ['complete', 'partial;reason=bad-reply'];
  const causes = [{ what: 'text', field: 'TotalWeight', count: 2 }];
  const problem = { status: 500, code: 'external-system-failed', detail: 'x', reason: 'bad-reply' } as const;
  const named = { problem: problem.code, reason: problem.reason };

  it.each<[Given, object]>([
    [{}, { level: 30, status: 200 }],
    [{ known: { data: { label: complete, causes: undefined } } }, { level: 30, completeness: complete }],
    [{ known: { data: { label: complete, causes } } }, { level: 30, cause: 'TotalWeight: text (2)' }],
    [{ known: { data: { label: partial, causes }, causes: [] } }, { level: 40, cause: 'TotalWeight: text (2)' }],
    [{ known: { data: { label: 'stale;reason=internal', causes: [] } } }, { level: 40, cause: '' }],
    [
      { status: 404, known: { data: { label: complete, causes } } },
      { level: 30, status: 404 },
    ],
    [
      { status: 500, known: { problem, causes } },
      { level: 40, status: 500, ...named, cause: 'TotalWeight: text (2)' },
    ],
    [
      { status: 503, purpose: 'management' },
      { level: 20, status: 503 },
    ],
    [{ known: { isBroken: true } }, { level: 40, status: 500 }],
    [{ known: { clientName: 'client-7' } }, { level: 30, client: 'client-7' }],
    [
      { method: 'PROPFIND', path: '/orders/7?x=1' },
      { level: 30, method: 'PROPFIND' },
    ],
    [{ path: '/nowhere' }, { level: 30, status: 404, route: 'unmatched' }],
  ])('of %j has %j', async (given, expected) => {
    const [line, ...others] = await linesOf(given);
    const { time, pid, hostname, durationMs, ...members } = line ?? {};
    const ids = { requestId: 'r-1', trace_id: TRACE.traceId, span_id: TRACE.spanId };
    const label = (given.status ?? 200) < 400 ? given.known?.data?.label : undefined;
    const usual = { method: 'GET', route: '/orders/:id', status: 200, ...ids, msg: 'request' };
    expect(members).toEqual({ ...usual, ...(label !== undefined && { completeness: label }), ...expected });
    expect([others, pid, hostname]).toEqual([[], process.pid, expect.any(String)]);
    expect([time, durationMs]).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('is written from its level on', async () => {
    expect(await linesOf({ level: 40 })).toEqual([]);
    expect(await linesOf({ level: 40, status: 500 })).toHaveLength(1);
  });
});

describe('D25 the metrics of requests', () => {
  it('have the method, the route, the status and the completeness', async () => {
    metrics.requests.reset();
    await linesOf({ known: { data: { label: 'complete', causes: undefined } } });
    await linesOf({ method: 'PROPFIND', level: 60 });
    await linesOf({ path: '/7?x=1' });
    const counts = (await registry.metrics()).match(/(?<=_seconds_count).*/g);
    expect(counts).toEqual([
      '{method="GET",route="/orders/:id",status="200",completeness="complete"} 1',
      '{method="PROPFIND",route="/orders/:id",status="200",completeness="none"} 1',
      '{method="GET",route="unmatched",status="404",completeness="none"} 1',
    ]);
  });

  it('show what the server holds, and begin to count refusals at zero', async () => {
    metrics.show({ active: 3, unsentBytes: 500 });
    const text = await registry.metrics();
    for (const cause of ['active-requests', 'unsent-bytes']) {
      expect(text).toContain(`http_server_refused_requests_total{cause="${cause}"} 0\n`);
    }
    expect(text).toContain('http_server_active_requests 3\n');
    expect(text).toContain('http_server_unsent_bytes 500\n');
  });
});
