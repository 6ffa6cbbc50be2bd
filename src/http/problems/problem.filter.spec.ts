import { BadRequestException, Logger, type ArgumentsHost } from '@nestjs/common';
import * as fc from 'fast-check';
import { ClientDisconnectedError } from '../../resilience/upstream-failure';
import { ProblemFilter } from './problem.filter';

/** The response of the filter, serialized as the filter asks for. */
function responseTo(exception: unknown): { status: number; type: string; body: string } {
  const sent = { status: 0, type: '', body: '' };
  let serialize = (body: unknown): string => String(body);
  const reply = {
    header: () => reply,
    status: (status: number) => ((sent.status = status), reply),
    type: (type: string) => ((sent.type = type), reply),
    serializer: (serializer: (body: unknown) => string) => ((serialize = serializer), reply),
    send: (body: unknown) => ((sent.body = serialize(body)), reply),
  };
  const request = { headers: {}, id: 'REQ-1', originalUrl: '/api/Shipping/GetShippingSingle?Id=hidden' };
  const http = { getRequest: () => request, getResponse: () => reply };
  new ProblemFilter().catch(exception, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return sent;
}

function problemFor(exception: unknown): Record<string, unknown> {
  const { status, type, body } = responseTo(exception);
  expect(type).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(body) as Record<string, unknown>;
  expect(problem.status).toBe(status);
  return problem;
}

describe('ProblemFilter', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
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
