import { InvalidParametersException, type Send, StandardProtocol, type UpstreamRequest } from '../../../src';
import { expectProblem, expectResponse, expectUnavailable } from '../../support/expected';
import { type Operation, OPERATIONS, rowsFor, STRICT } from '../../support/operations';
import { ONCE, useScriptedService } from '../../support/service';

type Behave = (request: UpstreamRequest, send: Send) => unknown;
type Member = 'send' | 'check' | 'headers';
const UNBROKEN: Record<Member, Behave | undefined> = { send: undefined, check: undefined, headers: undefined };
const broken = { ...UNBROKEN };

/** Does what a test says in the place of its methods; as JavaScript would, without types. */
class BrokenProtocol extends StandardProtocol {
  override check(request: UpstreamRequest): void {
    return broken.check?.(request, () => Promise.reject(new Error())) as undefined;
  }
  override headers = (): Record<string, string> => ((broken.headers as (() => unknown) | undefined)?.() ?? {}) as never;
  override record: StandardProtocol['record'] = (...call) => (broken.send ?? super.record.bind(this))(...call) as never;
  override list: StandardProtocol['list'] = (...call) => (broken.send ?? super.list.bind(this))(...call) as never;
  override page: StandardProtocol['page'] = (...call) => (broken.send ?? super.page.bind(this))(...call) as never;
}

/** The message of errors of a protocol: it is logged with the error (D81), and is nowhere else. */
const SECRET = 'secret-of-a-record';
const methodOf = ({ body }: Operation): string => `BrokenProtocol.${body}`;
const scripted = useScriptedService(ONCE, { protocol: BrokenProtocol });
beforeEach(() => {
  Object.assign(broken, UNBROKEN);
});

/** Expects `internal` for every kind of client, sentence and ids in the log (D39, D86), and a service that serves on. */
async function expectInternal(operation: Operation, sentence: string): Promise<void> {
  const { service } = scripted;
  const logged = service.log.length;
  const response = await service.request(operation.request);
  if (operation.single) expectProblem(response, 500, 'internal-error');
  else expectUnavailable(operation, response, 'internal');
  const strict = await service.request(operation.request, STRICT);
  expectProblem(strict, 500, 'internal-error');
  expect(response.body + strict.body).not.toContain('BrokenProtocol');
  expect(service.log.slice(logged).join('')).toContain(JSON.stringify(sentence).slice(1, -1));
  const requests = service.requestLog.slice(-2).map(({ requestId, trace_id }) => ({ requestId, trace_id }));
  expect(service.requestLog.slice(-2)).toMatchObject([{ cause: sentence }, { cause: sentence }]);
  const others = service.log.slice(logged).filter((line) => !line.includes('Unexpected error'));
  expect(others.join('') + response.body + strict.body).not.toContain(SECRET);
  expect(service.logged.filter(({ msg }) => String(msg).startsWith('Unexpected')).slice(-2)).toMatchObject(requests);
  Object.assign(broken, UNBROKEN);
  expectResponse(await service.request(operation.request), 'complete');
}

const fail = (error: unknown): never => {
  throw error;
};

describe('spec, failure behaviour 3, and D86: a protocol that is broken', () => {
  it.each(OPERATIONS)('$name: it rejects', async (operation) => {
    broken.send = () => Promise.reject(new RangeError(SECRET));
    await expectInternal(operation, `${methodOf(operation)} threw RangeError`);
  });

  const MEMBERS: (readonly [Member])[] = [['send'], ['check'], ['headers']];
  it.each(rowsFor(OPERATIONS, MEMBERS))(
    '%s: where %s throws, the log has the frames of the team',
    async (_, member, operation) => {
      broken[member] = function inCodeOfTheTeam(): never {
        throw new TypeError('secret');
      };
      await scripted.service.request(operation.request);
      const { err } = scripted.service.logged.filter(({ msg }) => String(msg).startsWith('Unexpected')).at(-1) ?? {};
      expect(err).toMatchObject({ stack: expect.stringMatching(/TypeError: secret\n\s+at .*inCodeOfTheTeam /) });
    },
  );
});

it.each(OPERATIONS)('D86 $name: a refusal is 400, before anything is sent', async (operation) => {
  broken.check = () => fail(new InvalidParametersException([{ parameter: 'OrderId', message: 'is odd' }]));
  const response = await scripted.service.request(operation.request);
  expect([response.status, response.json().detail]).toEqual([400, 'OrderId is odd']);
  expect(scripted.upstream.calls).toEqual([]);
});
