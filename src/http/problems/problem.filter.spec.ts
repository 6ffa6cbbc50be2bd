import { BadRequestException, Controller, Get, HttpException, Logger, NotFoundException } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyInstance } from 'fastify';
import { continueTrace } from '../../observability/tracing/trace-context';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import { RequestRecord } from '../requests/request-record';
import { ProblemFilter } from './problem.filter';
import { ProblemException, PROBLEMS } from './problem-definitions';

let thrown: unknown;

@Controller()
class FailingController {
  @Get('fails')
  fail(): never {
    throw thrown;
  }
}

describe('D15 an exception becomes a problem', () => {
  let app: NestFastifyApplication;
  let strict: boolean;
  let record: RequestRecord;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ controllers: [FailingController] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
    fastify.decorateRequest('strict', { getter: () => strict });
    fastify.decorateRequest('publicBasePath', '/base');
    fastify.addHook('onRequest', (request, _, done) => {
      record = new RequestRecord(continueTrace(undefined), request.routeOptions);
      request.record = record;
      done();
    });
    app.useGlobalFilters(new ProblemFilter());
    await app.init();
  });
  beforeEach(() => {
    strict = false;
  });
  afterAll(() => app.close());

  const sent = async (exception: unknown): Promise<[status: number, body: Record<string, unknown>]> => {
    thrown = exception;
    const { statusCode, headers, json } = await app.inject('/fails');
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    return [statusCode, json()];
  };

  const OF_A_TEAM = new HttpException({ message: 'no', error: 'E7', carrier: 'dhl' }, 409);
  const EXPOSED = Object.assign(new Error('of middleware'), { statusCode: 418, status: 418, expose: true });
  it.each<[string, unknown, number, object]>([
    ['a problem', new ProblemException(PROBLEMS.missingClaim), 403, { code: PROBLEMS.missingClaim.code }],
    ['one of Nest', new NotFoundException('No such label'), 404, { detail: 'No such label', title: 'Not Found' }],
    ['one with members', OF_A_TEAM, 409, { detail: 'no', error: 'E7', carrier: 'dhl', title: 'Conflict' }],
    ['faults', new BadRequestException(['a must be b']), 400, { errors: [{ parameter: 'a', message: 'must be b' }] }],
    ['one of http-errors', EXPOSED, 418, { detail: 'of middleware' }],
    [
      'one that is not exposed',
      Object.assign(new Error('secret'), { statusCode: 502, status: 502, expose: false }),
      502,
      {},
    ],
    ['an error', new Error('secret'), 500, { code: 'internal-error' }],
    ['no error at all', 'secret', 500, { code: 'internal-error' }],
  ])('%s', async (_, exception, status, members) => {
    const [statusCode, body] = await sent(exception);
    expect([statusCode, body]).toEqual([
      status,
      expect.objectContaining({ ...members, status, instance: '/base/fails' }),
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(record.problem?.status).toBe(status);
  });

  it.each<[UpstreamFailure['reason'], object, number]>([
    ['upstream-timeout', {}, 504],
    ['upstream-unreachable', {}, 503],
    ['upstream-error', {}, 502],
    ['upstream-error', { pauseMs: 1500 }, 503],
    ['bad-reply', {}, 502],
    ['circuit-open', { retryAfterMs: 1500 }, 503],
    ['saturated', {}, 503],
  ])('D21 a failure by %s %j: %i for strict clients', async (reason, traits, status) => {
    const failure = new UpstreamFailure(reason, 'a cause', traits);
    const code = 'external-system-failed';
    expect(await sent(failure)).toEqual([500, expect.objectContaining({ code, reason })]);
    strict = true;
    expect(await sent(failure)).toEqual([status, expect.objectContaining({ code, reason })]);
    expect(record.causes).toEqual([{ what: 'a cause' }]);
    const { headers } = await app.inject('/fails');
    expect(headers['retry-after']).toBe('pauseMs' in traits || 'retryAfterMs' in traits ? '2' : undefined);
  });

  it('D81 what is unexpected is logged with the id of the request, what is expected is not', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    await sent(new UpstreamFailure('bad-reply', 'a cause'));
    await sent(new BadRequestException());
    expect(error).not.toHaveBeenCalled();
    const [, { requestId }] = await sent(new TypeError('unexpected'));
    const ids = { requestId, trace_id: record.trace.traceId };
    expect(error.mock.calls).toEqual([['Unexpected error: TypeError', expect.any(TypeError), ids]]);
    error.mockRestore();
  });
});
