import { HttpException, Logger, NotFoundException, type ArgumentsHost } from '@nestjs/common';
import { AttemptFailure } from '../shipping/gateway/policy/attempt-failure';
import { CallerLeft } from '../shipping/gateway/policy/caller-left';
import { ExternalSystemFailure } from '../shipping/model/external-system-failure';
import { ShippingNotFound } from '../shipping/queries/shipping-not-found';
import { BadParametersException, PlainMessageException } from './parameters/bad-parameters';
import { frameworkKind, ProblemFilter } from './problem.filter';

interface Sent {
  status: number;
  type: string;
  body: unknown;
  headers: Record<string, string>;
}

const STRICT = 'handling=strict';

/** What the filter answers for an exception; a body for a serializer is what this makes of it. */
function answerTo(exception: unknown, prefer?: string): Sent {
  const sent: Sent = { status: 0, type: '', body: undefined, headers: {} };
  let serialize = (body: unknown): string => String(body);
  const reply = {
    hasHeader: () => true,
    status: (status: number) => ((sent.status = status), reply),
    type: (type: string) => ((sent.type = type), reply),
    header: (name: string, value: string) => ((sent.headers[name] = value), reply),
    serializer: (serializer: (body: unknown) => string) => ((serialize = serializer), reply),
    send: (body: unknown) => ((sent.body = serialize(body)), reply),
  };
  const request = { id: 'REQ-1', url: '/api/Shipping/GetShippingSingle?Id=hidden', headers: { prefer } };
  const http = { getRequest: () => request, getResponse: () => reply };
  new ProblemFilter().catch(exception, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return sent;
}

function problemFor(exception: unknown, prefer?: string): Record<string, unknown> {
  const { status, type, body } = answerTo(exception, prefer);
  expect(type).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(body as string) as Record<string, unknown>;
  expect(problem.status).toBe(status);
  return problem;
}

describe('ProblemFilter', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('D4 answers a plain message as text', () => {
    expect(answerTo(new PlainMessageException('Page number must be greater than 0'))).toMatchObject({
      status: 400,
      type: 'text/plain; charset=utf-8',
      body: 'Page number must be greater than 0',
    });
  });

  it('D15 answers bad parameters with an entry for each', () => {
    const errors = [
      { parameter: 'Limit', message: 'is bad' },
      { parameter: 'Status', message: 'is worse' },
    ];
    expect(problemFor(new BadParametersException(errors))).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'Limit is bad; Status is worse',
      instance: '/api/Shipping/GetShippingSingle',
      code: 'invalid-parameters',
      requestId: 'REQ-1',
      errors,
    });
  });

  it('D15 answers 404 where nothing matches', () => {
    expect(problemFor(new ShippingNotFound())).toMatchObject({ status: 404, code: 'shipping-not-found' });
  });

  it.each([
    ['upstream-timeout', 504],
    ['upstream-error', 502],
    ['bad-reply', 502],
    ['upstream-unreachable', 503],
    ['circuit-open', 503],
    ['saturated', 503],
  ] as const)('D21 %s is %d for strict callers, D15 500 for others', (reason, status) => {
    const failure = new ExternalSystemFailure(reason, 'hidden');
    expect(problemFor(failure, STRICT)).toMatchObject({ status, code: 'external-system-failed' });
    expect(problemFor(failure)).toMatchObject({ status: 500, code: 'external-system-failed' });
    expect(JSON.stringify(answerTo(failure, STRICT))).not.toContain('hidden');
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([
    [1, '1'],
    [1000, '1'],
    [1001, '2'],
    [0, '1'],
    [86_400_000, '86400'],
  ])('D21 a 503 says Retry-After where a time is known: %d ms is %s s', (ms, seconds) => {
    const failure = new AttemptFailure('upstream-unreachable', '', {
      retryable: true,
      countsAgainstCircuit: true,
      retryAfterMs: ms,
    });
    expect(answerTo(failure, STRICT).headers).toEqual({ 'Retry-After': seconds });
  });

  it('D21 no other answer says Retry-After', () => {
    expect(answerTo(new ExternalSystemFailure('circuit-open', ''), STRICT).headers).toEqual({});
    expect(answerTo(new ExternalSystemFailure('circuit-open', '', 1000)).headers).toEqual({});
    expect(answerTo(new ExternalSystemFailure('upstream-error', '', 1000), STRICT).headers).toEqual({});
  });

  it('D15 answers the exceptions of the framework without their words', () => {
    expect(problemFor(new NotFoundException('Cannot GET /hidden'))).toMatchObject({
      status: 404,
      code: 'route-not-found',
      detail: 'There is nothing at this path.',
    });
    expect(problemFor(new HttpException({ hidden: true }, 418))).toMatchObject({ status: 418, code: 'bad-request' });
    expect(problemFor(new HttpException('hidden', 507))).toMatchObject({ status: 507, code: 'internal-error' });
  });

  it.each([
    ['an error', new Error('hidden')],
    ['a string', 'hidden'],
    ['nothing', undefined],
  ])('D15 %s is an opaque 500, and logged without its message', (_, thrown) => {
    expect(problemFor(thrown, STRICT)).toMatchObject({ status: 500, code: 'internal-error' });
    expect(JSON.stringify(answerTo(thrown))).not.toContain('hidden');
    expect(logged).toHaveBeenCalled();
    expect(JSON.stringify(logged.mock.calls)).not.toContain('hidden');
  });

  it('logs nothing for a caller who left', () => {
    expect(problemFor(new CallerLeft())).toMatchObject({ status: 500 });
    expect(logged).not.toHaveBeenCalled();
  });
});

describe('frameworkKind', () => {
  it.each([400, 404, 405, 408, 413, 414, 415, 431, 500, 503, 599, 402])('D15 %d has a stable code', (status) => {
    expect(frameworkKind(status)).toEqual({
      status,
      code: expect.stringMatching(/^[a-z]+(-[a-z]+)*$/),
      detail: expect.stringMatching(/\.$/),
    });
  });
});
