import {
  type ArgumentsHost,
  BadRequestException,
  HttpException,
  Logger,
  NotFoundException,
  NotImplementedException,
} from '@nestjs/common';
import fastify, { type FastifyInstance } from 'fastify';
import { continueTrace } from '../../observability/tracing/tracing';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import { RequestRecord } from '../requests/request-record';
import { ProblemFilter } from './problem.filter';
import { PlainMessageException, ProblemException, PROBLEMS } from './problem-definitions';

/** A server whose only route fails, and that responds by the filter. */
class FailingServer {
  thrown: unknown;
  strict = false;
  record!: RequestRecord;
  private readonly app: FastifyInstance = fastify();

  constructor() {
    const filter = new ProblemFilter();
    this.app.decorateRequest('publicBasePath', '/base').addHook('onRequest', (request, _, done) => {
      this.record = new RequestRecord(continueTrace(undefined), request.routeOptions);
      Object.assign(request, { record: this.record, strict: this.strict });
      done();
    });
    this.app.get('/fails', (_, reply) => {
      const host = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => reply }) };
      filter.catch(this.thrown, host as unknown as ArgumentsHost);
    });
  }

  /** @returns the response to an exception */
  async respondTo(thrown: unknown) {
    this.thrown = thrown;
    return this.app.inject('/fails');
  }
}

let server: FailingServer;
beforeEach(() => {
  server = new FailingServer();
});

const OF_A_TEAM = new HttpException({ message: 'no', error: 'E7', carrier: 'dhl' }, 409);
const TYPED = new ProblemException({ status: 503, code: 'paused', detail: 'x', type: 'https://a.example/paused' });
const MANY = Array.from({ length: 30 }, (_, index) => `p${index} must be short`);
const VALIDATED = [
  { property: 'carrier', value: 'hidden', constraints: { isIn: 'carrier must be known' } },
  { property: 'part', children: [{ property: 'size', constraints: { max: 'size must be small' } }] },
];
const [MUST_BE_KNOWN, MUST_BE_SMALL] = [
  { parameter: 'carrier', message: 'must be known' },
  { parameter: 'size', message: 'must be small' },
];
const ofHttpErrors = (statusCode: number, expose: boolean): Error =>
  Object.assign(new Error('of middleware'), { statusCode, status: statusCode, expose });

it.each<[kind: string, thrown: unknown, status: number, members: object]>([
  ['a problem', new ProblemException(PROBLEMS.missingClaim), 403, { code: 'forbidden' }],
  ['one with a type', TYPED, 503, { code: 'paused', type: 'https://a.example/paused' }],
  ['one of Nest', new NotFoundException('No such label'), 404, { detail: 'No such label', title: 'Not Found' }],
  ['one that is about no external system', new NotImplementedException('no'), 501, { code: 'internal-error' }],
  ['one without a text', new HttpException('', 499), 499, { detail: 'The request is malformed.' }],
  ['one with members', OF_A_TEAM, 409, { detail: 'no', error: 'E7', carrier: 'dhl', title: 'Conflict' }],
  ['faults', new BadRequestException(['a must be b']), 400, { errors: [{ parameter: 'a', message: 'must be b' }] }],
  ['many faults', new BadRequestException(MANY), 400, { errors: { length: 20 }, detail: MANY.slice(0, 20).join('; ') }],
  ['faults of class-validator', new BadRequestException(VALIDATED), 400, { errors: [MUST_BE_KNOWN, MUST_BE_SMALL] }],
  ['one of http-errors', ofHttpErrors(418, true), 418, { detail: 'of middleware' }],
  ['one that is not exposed', ofHttpErrors(502, false), 502, { detail: PROBLEMS.internalError.detail }],
  ['an error', new Error('secret'), 500, { code: 'internal-error', detail: PROBLEMS.internalError.detail }],
  ['no error at all', 'secret', 500, { code: 'internal-error', detail: PROBLEMS.internalError.detail }],
])('D15 %s', async (_, thrown, status, members) => {
  const { statusCode, headers, json } = await server.respondTo(thrown);
  expect([statusCode, json()]).toMatchObject([status, { ...members, status, instance: '/base/fails' }]);
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(server.record.problem?.status).toBe(status);
});

it('D4 a plain message stays one', async () => {
  const { headers, body } = await server.respondTo(new PlainMessageException('Page number'));
  expect([headers['content-type'], body]).toEqual(['text/plain; charset=utf-8', 'Page number']);
});

it.each<[reason: UpstreamFailure['reason'], traits: object, status: number, retryAfter: string | undefined]>([
  ['upstream-timeout', {}, 504, undefined],
  ['upstream-unreachable', {}, 503, undefined],
  ['upstream-error', {}, 502, undefined],
  ['upstream-error', { pauseMs: 1500 }, 503, '2'],
  ['bad-reply', {}, 502, undefined],
  ['circuit-open', { retryAfterMs: 1500 }, 503, '2'],
  ['circuit-open', { retryAfterMs: 0 }, 503, '1'],
  ['saturated', { retryAfterMs: 1000 }, 503, '1'],
])('D21 a failure by %s %j: %i for strict clients', async (reason, traits, status, retryAfter) => {
  const failure = new UpstreamFailure(reason, 'a cause', traits);
  expect((await server.respondTo(failure)).json()).toMatchObject({ status: 500, reason });
  server.strict = true;
  const { statusCode, headers } = await server.respondTo(failure);
  expect([statusCode, headers['retry-after'], server.record.causes]).toEqual([
    status,
    retryAfter,
    [{ what: 'a cause' }],
  ]);
});

it('D81 what is unexpected is logged with the ids of the request, what is expected is not', async () => {
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  for (const thrown of [new UpstreamFailure('bad-reply', 'x'), new BadRequestException()])
    await server.respondTo(thrown);
  expect(error).not.toHaveBeenCalled();
  const { requestId } = (await server.respondTo(new TypeError('unexpected'))).json<{ requestId: string }>();
  const ids = { requestId, trace_id: server.record.trace.traceId };
  expect(error.mock.calls).toEqual([['Unexpected error: TypeError', expect.any(TypeError), ids]]);
});
