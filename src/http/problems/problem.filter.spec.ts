import { BadRequestException, ForbiddenException, HttpException, Logger, type ArgumentsHost } from '@nestjs/common';
import * as fc from 'fast-check';
import { ClientDisconnectedError } from '../../resilience/upstream-failure';
import { InvalidParametersException, PlainMessageException, ProblemException } from './problem';
import { PROBLEMS } from './problem-definitions';
import { ProblemFilter } from './problem.filter';

interface Sent {
  status: number;
  type: string;
  body: unknown;
  /** Where it is not that of every response. */
  vary?: string;
}

const SENTENCE = 'Page number must be greater than 0';
const request = {
  headers: {} as Record<string, string>,
  id: 'REQ-1',
  originalUrl: '/api/Shipping/GetShippingSingle?Id=hidden',
  problem: undefined,
};

/** The response of the filter; a serialized body is the text of the serializer. */
function responseTo(exception: unknown): Sent {
  const sent: Sent = { status: 0, type: '', body: undefined };
  let serialize = (body: unknown): string => String(body);
  const headers: Record<string, string> = { Vary: 'Prefer' };
  const reply = {
    header: (name: string, value: string) => ((headers[name] = value), reply),
    getHeader: (name: string) => headers[name],
    status: (status: number) => ((sent.status = status), reply),
    type: (type: string) => ((sent.type = type), reply),
    serializer: (serializer: (body: unknown) => string) => ((serialize = serializer), reply),
    send: (body: unknown) => ((sent.body = serialize(body)), reply),
  };
  const http = { getRequest: () => request, getResponse: () => reply };
  new ProblemFilter().catch(exception, { switchToHttp: () => http } as unknown as ArgumentsHost);
  if (headers.Vary !== 'Prefer') sent.vary = headers.Vary;
  return sent;
}

function problemFor(exception: unknown): Record<string, unknown> {
  const { status, type, body } = responseTo(exception);
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

  it('D4 sends a plain message as text', () => {
    expect(responseTo(new PlainMessageException([{ parameter: 'PageNumber', message: SENTENCE }]))).toEqual({
      status: 400,
      type: 'text/plain; charset=utf-8',
      body: SENTENCE,
      vary: 'Prefer, Accept',
    });
  });

  it('D37 sends a plain message as a problem where Accept names problems', () => {
    request.headers = { accept: 'application/json, application/problem+json;q=0.1' };
    const sent = responseTo(new PlainMessageException([{ parameter: 'PageNumber', message: SENTENCE }]));
    request.headers = {};
    expect(sent).toMatchObject({
      status: 400,
      type: 'application/problem+json; charset=utf-8',
      vary: 'Prefer, Accept',
    });
    expect(JSON.parse(sent.body as string)).toMatchObject({
      code: 'invalid-parameters',
      detail: SENTENCE,
      errors: [{ parameter: 'PageNumber', message: SENTENCE }],
    });
  });

  it('D15 sends one entry for each invalid parameter', () => {
    const errors = [
      { parameter: 'Limit', message: 'is bad' },
      { parameter: 'Status', message: 'is worse' },
    ];
    expect(problemFor(new InvalidParametersException(errors))).toEqual({
      type: '/problems/invalid-parameters',
      title: 'Bad Request',
      status: 400,
      detail: 'Limit is bad; Status is worse',
      instance: '/api/Shipping/GetShippingSingle',
      code: 'invalid-parameters',
      requestId: 'REQ-1',
      errors,
    });
  });

  it('D15 sends the problem of a ProblemException, and keeps it for the log', () => {
    expect(problemFor(new ProblemException(PROBLEMS.overloaded))).toMatchObject({ status: 503, code: 'overloaded' });
    expect(request.problem).toBe(PROBLEMS.overloaded);
  });

  it('D15 sends the problem of the status of other HTTP exceptions, with the message of a 4xx only', () => {
    expect(problemFor(new ForbiddenException('Not yet'))).toMatchObject({
      status: 403,
      code: 'forbidden',
      detail: 'Not yet',
    });
    expect(problemFor(new HttpException({ hidden: true }, 418))).toMatchObject({
      status: 418,
      code: 'bad-request',
      detail: 'The request is malformed.',
    });
    expect(problemFor(new HttpException('hidden', 507))).toMatchObject({ status: 507, code: 'internal-error' });
    expect(logged).toHaveBeenCalledTimes(1);
    expect(responseTo(new HttpException('hidden', 507)).body).not.toContain('hidden');
    expect(String(logged.mock.calls)).not.toContain('hidden');
  });

  it('D15 loses nothing of any messages in an array', () => {
    const words = fc.constantFrom('carrier', 'a.b.0.c', 'must', 'should', 'be', '', '\n', '__proto__', 'constructor');
    const messages = fc.array(
      fc.oneof(
        words,
        fc.string(),
        fc.array(words).map((some) => some.join(' ')),
      ),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(messages, (texts) => {
        const { errors } = problemFor(new BadRequestException(texts)) as { errors: Record<string, string>[] };
        const read = errors.map(({ parameter, message }) => (parameter === '' ? message : `${parameter} ${message}`));
        expect(read).toEqual(texts);
      }),
    );
  });

  it.each([
    ['an error', new Error('hidden')],
    ['a string', 'hidden'],
    ['undefined', undefined],
  ])('D15 %s is an opaque 500, logged without its message', (_, thrown) => {
    expect(problemFor(thrown)).toMatchObject({ status: 500, code: 'internal-error' });
    expect(JSON.stringify(responseTo(thrown))).not.toContain('hidden');
    expect(logged).toHaveBeenCalled();
    expect(JSON.stringify(logged.mock.calls)).not.toContain('hidden');
  });

  it('logs nothing for a client that disconnected', () => {
    expect(problemFor(new ClientDisconnectedError())).toMatchObject({ status: 500 });
    expect(logged).not.toHaveBeenCalled();
  });
});
