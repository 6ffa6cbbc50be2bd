import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { installTracing, Tracing } from '../../src/observability/tracing/tracing';
import { useMonotonicClock } from '../support/monotonic-clock';
import { eventually } from '../../testing/upstream/eventually';
import { BY_ID, DETAILS, PAGED, type Operation } from '../support/operations';
import { PATIENT } from '../support/patient';
import { startScriptedService, useScriptedService, type ScriptedService } from '../support/service';
import { detailsReply, pagedReply, wireRecord } from '../../testing/upstream/records';
import { json, status } from '../../testing/upstream/responses';

const ENV = { ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
const SECRET = 'Jane Example, Storgatan 5';

/** Lines of the log at `warn` that are no line of a request. */
const warnings = ({ service }: Pick<ScriptedService, 'service'>): string[] =>
  service.log
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level, msg }) => level === 40 && msg !== 'request')
    .map(({ msg }) => msg);

type Row = [operation: Operation, sent: unknown, cause: string, lines: string[]];
const FAILED = 'The external system failed:';
const MALFORMED = 'The external system sends malformed values:';

describe('D81 the cause of a response that is not complete', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  let scripted: ScriptedService;
  beforeAll(() => {
    provider.register({ propagator: null });
    installTracing(new Tracing(() => provider.shutdown()));
  });
  afterAll(async () => {
    installTracing(undefined);
    await provider.shutdown();
  });
  beforeEach(async () => {
    scripted = await startScriptedService(ENV);
    exporter.reset();
  });
  afterEach(() => scripted.close());

  it.each<Row>([
    [PAGED, pagedReply([], { TotalCount: SECRET }), 'no valid TotalCount: text', []],
    [PAGED, { data: pagedReply() }, 'no Items: absent', []],
    [DETAILS, { ShippingDetails: null }, 'ShippingDetails: null', []],
    [DETAILS, [wireRecord({ CreatedBy: SECRET })], 'body: array', []],
    [BY_ID, wireRecord({ Id: null, CreatedBy: SECRET }), 'no valid Id: null', []],
    [
      DETAILS,
      detailsReply([wireRecord({ TotalWeight: SECRET }), wireRecord({ TotalWeight: SECRET, CreatedDate: 7 }), null]),
      'TotalWeight: text (2), CreatedDate: number (1), 1 record of the wrong type',
      ['TotalWeight: text (2 times)', 'CreatedDate: number', 'record of the wrong type'],
    ],
    [BY_ID, wireRecord({ ModifiedDate: SECRET }), 'ModifiedDate: text (1)', ['ModifiedDate: text']],
  ])('stands in log line, spans and a line of its own: %#', async ({ request, single }, sent, cause, parts) => {
    scripted.upstream.respondWith(json(sent));
    const response = await scripted.service.request(request);
    expect(response.body + JSON.stringify(response.headers)).not.toContain(cause);
    await eventually(() => exporter.getFinishedSpans().length === 2);
    expect(scripted.service.requestLog).toMatchObject([{ cause }]);
    const causes = exporter.getFinishedSpans().map(({ attributes }) => attributes['shipping.failure.cause']);
    expect(causes).toEqual([cause, cause]);
    const name = single ? 'by-id' : request === PAGED.request ? 'paged' : 'details';
    const lines = parts.map((part) => `${MALFORMED} ${name}: ${part}`);
    expect(warnings(scripted)).toEqual(parts.length > 0 ? lines : [`${FAILED} ${name}: ${cause}`]);
    expect(scripted.service.log.join()).not.toContain(SECRET);
  });
});

describe('D81 a flood of failures', () => {
  const clock = useMonotonicClock();
  const scripted = useScriptedService(ENV);

  it('has one line a minute for each operation and cause; an open circuit names what opened it', async () => {
    scripted.upstream.respondWith(status(503));
    for (let sent = 0; sent < 25; sent += 1) await scripted.service.request(DETAILS.request);
    const first = `${FAILED} details: status 503`;
    const refused = `${FAILED} details: circuit open after: status 503`;
    expect(warnings(scripted)).toEqual([first, refused]);
    expect(scripted.service.requestLog.at(-1)?.cause).toBe('circuit open after: status 503');
    clock.advance(61_000);
    await scripted.service.request(DETAILS.request);
    expect(warnings(scripted)).toEqual([first, refused, `${first} (20 times)`]);
  });
});

class PassportGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    Object.assign(context.switchToHttp().getRequest(), { user: { name: SECRET } });
    return true;
  }
}

it('D39 a name that a guard of a team puts into request.user is not logged', async () => {
  const module = { module: class {}, providers: [{ provide: APP_GUARD, useClass: PassportGuard }] };
  const scripted = await startScriptedService(ENV, { imports: [module] });
  scripted.upstream.respondWith(json());
  await scripted.service.request(DETAILS.request);
  await eventually(() => scripted.service.requestLog.length === 1);
  expect(scripted.service.log.join()).not.toContain(SECRET);
  await scripted.close();
});
