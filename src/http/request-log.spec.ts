import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { watchClients } from './departure';
import { logRequest, observeRequests, type AnsweredRequest } from './request-log';

describe('observeRequests', () => {
  let server: FastifyInstance;
  let seen: AnsweredRequest[];
  let active: () => number;
  beforeEach(() => {
    seen = [];
    server = fastify({ genReqId: () => 'REQ-1' });
    watchClients(server);
    active = observeRequests(server, (request) => seen.push(request));
    server.get('/things/:id', (_, reply) => reply.header('Shipping-Completeness', 'complete').send({}));
    server.get('/never', () => new Promise(() => undefined));
    server.get('/late', async (request) => {
      await once(request.raw, 'close');
      return 'late';
    });
  });
  afterEach(() => server.close());

  it('tells of an answer by its route, and nothing that the caller sent', async () => {
    await server.inject('/things/hidden?a=hidden');
    expect(seen).toEqual([
      {
        method: 'GET',
        route: '/things/:id',
        status: 200,
        requestId: 'REQ-1',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        completeness: 'complete',
        problem: undefined,
        durationMs: expect.any(Number),
      },
    ]);
  });

  it('tells of what has no route', async () => {
    await server.inject('/hidden');
    expect(seen).toMatchObject([{ route: 'unmatched', status: 404, completeness: undefined }]);
  });

  it.each(['/never', '/late'])('tells once of a client that left %s, with status 499', async (path) => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const aborted = new Promise<void>((resolve) => {
      server.server.once('request', (request) => request.once('close', resolve));
    });
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(server.server, 'request');
    expect(active()).toBe(1);
    socket.destroy();
    await aborted;
    // What comes too late is sent in the turns after that.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen).toMatchObject([{ route: path, status: 499, requestId: 'REQ-1' }]);
    expect(seen[0]?.durationMs).toBeGreaterThan(0);
    expect(active()).toBe(0);
  });

  it('counts those that are being answered', async () => {
    await Promise.all([server.inject('/things/1'), server.inject('/things/2'), server.inject('/none')]);
    expect(active()).toBe(0);
  });
});

describe('logRequest', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const REQUEST = { method: 'GET', route: '/a', status: 200, requestId: 'R', completeness: 'complete' };
  const NO_PROBLEM = { problem: undefined };
  const IDS = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  beforeEach(() => {
    lines.length = 0;
  });

  /** Whether each of these traces gets a line. */
  const logged = (share: number, traceIds: readonly string[], request: Partial<AnsweredRequest> = {}): boolean[] =>
    traceIds.map((traceId) => {
      lines.length = 0;
      logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, durationMs: 1, ...request, traceId }, share);
      return lines.length === 1;
    });
  const hex = (digits: number): string => Math.trunc(digits).toString(16).padStart(32, '0');

  it('writes one line for a request', () => {
    logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, durationMs: 1.23456 }, 1);
    expect(lines).toEqual([
      { level: 30, ...REQUEST, trace_id: IDS.traceId, span_id: IDS.spanId, durationMs: 1.235, msg: 'request' },
    ]);
  });

  it.each([
    [200, 'complete', 30],
    [304, 'complete', 30],
    [404, undefined, 30],
    [499, undefined, 30],
    [200, 'partial;reason=bad-reply', 40],
    [200, 'unavailable;reason=circuit-open', 40],
    [500, undefined, 40],
    [503, undefined, 40],
  ])('a line of %i and %s has the level %i', (status, completeness, level) => {
    logRequest(logger, { ...REQUEST, ...IDS, ...NO_PROBLEM, status, completeness, durationMs: 1 }, 1);
    expect(lines).toMatchObject([{ level }]);
  });

  it('tells what was wrong and why, and nothing of the words for the caller', () => {
    const problem = { code: 'external-system-failed', reason: 'upstream-timeout', detail: 'hidden' } as const;
    logRequest(logger, { ...REQUEST, ...IDS, status: 500, completeness: undefined, problem, durationMs: 1 }, 1);
    expect(lines).toMatchObject([{ level: 40, problem: 'external-system-failed', reason: 'upstream-timeout' }]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  it.each([0, 0.001, 0.1, 0.5, 0.9, 1])(
    'keeps a share of %d of complete successes, the same ones each time',
    (share) => {
      const traces = Array.from({ length: 1000 }, (_, index) => hex(((index + 0.5) / 1000) * 2 ** 32));
      const kept = logged(share, traces);
      expect(kept.filter(Boolean)).toHaveLength(1000 * share);
      expect(logged(share, traces)).toEqual(kept);
    },
  );

  it.each([
    [200, 'partial;reason=bad-reply'],
    [200, 'stale;reason=upstream-timeout'],
    [200, 'unavailable;reason=upstream-timeout'],
    [400, undefined],
    [404, undefined],
    [499, undefined],
    [500, undefined],
  ])('never leaves out %i, %s', (status, completeness) => {
    expect(logged(0, [hex(0), 'f'.repeat(32)], { status, completeness })).toEqual([true, true]);
  });

  it.each([200, 302, 304])('leaves out a success without completeness, %i, too', (status) => {
    expect(logged(0, [hex(0), 'f'.repeat(32)], { status, completeness: undefined })).toEqual([false, false]);
  });
});
