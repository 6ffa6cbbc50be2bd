import { HttpService } from '@nestjs/axios';
import { NotFoundException } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { InvalidParametersException } from '../../../src/http/problems/problem-definitions';
import { ClientDisconnectedError } from '../../../src/resilience/upstream-failure';
import type { Send, UpstreamRequest } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { jobContext } from '../../../src/shipping/model/query-context';
import { COMPLETE, NO_MATCH } from '../../../src/shipping/model/query-result';
import { GetShippingInfoByIdQuery } from '../../../src/shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingSingleQuery } from '../../../src/shipping/queries/get-shipping-single/get-shipping-single.query';
import { neverResponds } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { mappedRecord } from '../../../testing/upstream/records';
import { expectProblem, expectResponse, expectUnavailable } from '../../support/expected';
import { endWaitsWhenDue } from '../../support/held-waits';
import { BY_ID, DETAILS, type Operation, OPERATIONS, PAGED, rowsFor, STRICT } from '../../support/operations';
import { ONCE, useScriptedService } from '../../support/service';
import { titled } from '../../support/titles';

type Behave = (request: UpstreamRequest, send: Send) => unknown;
const UNBROKEN: { send: Behave | undefined; check: Behave | undefined } = { send: undefined, check: undefined };
const broken = { ...UNBROKEN };

/** Does what a test says in the place of its methods; as JavaScript would, without types. */
class BrokenProtocol extends StandardProtocol {
  override check(request: UpstreamRequest): void {
    return broken.check?.(request, () => Promise.reject(new Error())) as undefined;
  }
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
const INVALID = 'returned an invalid result';
const BAD = { level: 'partial', reason: 'bad-reply' };
const ends = (completeness: unknown) => (): unknown => ({ body: [], completeness });
const FAULTS: readonly (readonly [fault: string, behave: Behave, sentence: string])[] = [
  ['throws', () => fail(new TypeError(SECRET)), 'threw TypeError'],
  ['rejects', () => Promise.reject(new RangeError(SECRET)), 'threw RangeError'],
  ['throws no error', () => fail(SECRET), 'threw a thrown string'],
  ['throws an exception of Nest', () => fail(new NotFoundException(SECRET)), 'threw NotFoundException'],
  ['returns nothing', () => undefined, INVALID],
  ['returns a body alone', () => ({ body: [] }), `${INVALID}.completeness`],
  ['returns an unknown level', ends({ level: 'full' }), `${INVALID}.completeness.level`],
  ['returns a reason of its own', ends({ ...BAD, reason: 'x\r\nA: b' }), `${INVALID}.completeness.reason`],
  ['returns no number', ends({ level: 'complete', limit: 'x' }), `${INVALID}.completeness.limit`],
  ['returns causes that are no list', ends({ ...BAD, causes: { a: 1 } }), `${INVALID}.completeness.causes`],
];

describe('spec, failure behaviour 3, and D86: a protocol that is broken', () => {
  it.each(rowsFor(OPERATIONS, FAULTS))('%s: it %s', async (_, __, behave, sentence, operation) => {
    broken.send = behave;
    await expectInternal(operation, `${methodOf(operation)} ${sentence}`);
  });

  const item = (changes: object): object => ({ ...mappedRecord({ body: 'page' }), ...changes });
  const PAGE = { items: [], totalCount: 0, pageNumber: 1, pageSize: 1, totalPages: 0 };
  const page = (changes: object): object => ({ ...PAGE, hasPreviousPage: false, hasNextPage: false, ...changes });
  const BODIES: readonly (readonly [operation: Operation, body: unknown, path: string])[] = [
    [BY_ID, {}, 'body.id'],
    [BY_ID, null, 'body'],
    [BY_ID, { ...mappedRecord({ body: 'record' }), shippingItems: [1] }, 'body.shippingItems.0'],
    [BY_ID, { ...mappedRecord({ body: 'record' }), modifiedBy: undefined }, 'body.modifiedBy'],
    [DETAILS, { ShippingDetails: [] }, 'body'],
    [DETAILS, [null], 'body.0'],
    [DETAILS, [item({}), item({ id: 5 })], 'body.1.id'],
    [DETAILS, [item({ id: '' })], 'body.0.id'],
    [DETAILS, [item({ orderId: 1 })], 'body.0.orderId'],
    [DETAILS, [item({ status: 'in_transit' })], 'body.0.status'],
    [DETAILS, [item({ totalWeight: 1n })], 'body.0.totalWeight'],
    [DETAILS, [item({ isActive: 'yes' })], 'body.0.isActive'],
    [PAGED, [], 'body'],
    [PAGED, { items: [] }, 'body.totalCount'],
    [PAGED, page({ totalCount: -1 }), 'body.totalCount'],
    [PAGED, page({ pageSize: NaN }), 'body.pageSize'],
    [PAGED, page({ hasNextPage: undefined }), 'body.hasNextPage'],
    [PAGED, page({ items: [{}] }), 'body.items.0.id'],
  ];
  it.each(titled(BODIES, ([{ name }, , path]) => `${name}: ${path}`))('%s', async (_, operation, body, path) => {
    broken.send = () => ({ body, completeness: COMPLETE });
    await expectInternal(operation, `${methodOf(operation)} returned an invalid result.${path}`);
  });

  const RETURNS: readonly (readonly [fault: string, check: Behave])[] = [
    ['refuses later', () => Promise.reject(new InvalidParametersException([]))],
    ['returns null', () => null],
    ['returns a broken thenable', () => ({ then: () => fail(new TypeError(SECRET)) })],
  ];
  it.each(rowsFor(OPERATIONS, RETURNS))('%s: check %s', async (_, __, check, operation) => {
    broken.check = check;
    const rule = 'it refuses by an exception, and must not be asynchronous';
    await expectInternal(operation, `BrokenProtocol.check returned something: ${rule}`);
  });

  it.each(OPERATIONS)('$name: an error in check', async (operation) => {
    for (const error of [new NotFoundException(SECRET), new TypeError(SECRET)]) {
      broken.check = () => fail(error);
      await expectInternal(operation, `BrokenProtocol.check threw ${error.name}`);
    }
  });

  const MEMBERS = [['a method', 'send'] as const, ['its check', 'check'] as const];
  it.each(rowsFor(OPERATIONS, MEMBERS))('%s: where %s throws, the log has the frames of the team', async (...row) => {
    const [, , member, operation] = row;
    broken[member] = function inCodeOfTheTeam(): never {
      throw new TypeError('secret');
    };
    await scripted.service.request(operation.request);
    const { err } = scripted.service.logged.filter(({ msg }) => String(msg).startsWith('Unexpected')).at(-1) ?? {};
    expect(err).toMatchObject({ stack: expect.stringMatching(/TypeError: secret\n\s+at .*inCodeOfTheTeam /) });
  });

  it('one that never settles gives its slot back', async () => {
    const { service } = scripted;
    let sent = false;
    broken.send = () => new Promise(() => (sent = true));
    endWaitsWhenDue(Number(ONCE.EXTERNAL_SHIPPING_TIMEOUT_MS), () => sent);
    expectUnavailable(DETAILS, await service.request(DETAILS.request), 'upstream-timeout');
    expect(await service.metric('external_shipping_calls_in_flight')).toBe(0);
  });

  it('D78 after a client disconnect no request is made', async () => {
    const { service, upstream } = scripted;
    const get = jest.spyOn(service.app.get(HttpService, { strict: false }), 'get');
    let second: Promise<unknown> | undefined;
    broken.send = async (_, send) => {
      await send({ path: '/first' }).catch(() => undefined);
      await (second = send({ path: '/second' }));
    };
    upstream.respondWith(neverResponds());
    const leave = service.leaving(DETAILS.request);
    await upstream.waitForCalls(1);
    await leave();
    await eventually('the second call', () => second !== undefined);
    await expect(second).rejects.toBeInstanceOf(ClientDisconnectedError);
    expect(get.mock.calls.map(([path]) => path)).toEqual(['/first']);
  });
});

it.each(OPERATIONS)('D86 $name: a refusal is 400, before anything is sent', async (operation) => {
  broken.check = () => fail(new InvalidParametersException([{ parameter: 'OrderId', message: 'is odd' }]));
  const response = await scripted.service.request(operation.request);
  expect([response.status, response.json().detail]).toEqual([400, 'OrderId is odd']);
  expect(scripted.upstream.calls).toEqual([]);
});

describe('D9 the gateway is the last guard', () => {
  const NO_ROOT = 'a path that does not start with "/"';
  const CHARACTER = 'a path with a character that a path cannot have, such as "?"';
  const DOTS = '/.. /. /a/../b /a/./b /%2e%2E/a /a/.%2e /a/%252e%252e/b /a%2f..%2fb /a/..;x/b /a%5c..'.split(' ');
  const placeholder = (name: string, fault = 'no value'): string => `a path whose placeholder {${name}} has ${fault}`;
  const A_DOT = 'a dot segment as its value';
  const TARGETS: readonly (readonly [target: Parameters<Send>[0], sentence: string])[] = [
    ...['shippings', '', 'http://evil.example/'].map((path) => [{ path }, NO_ROOT] as const),
    ...['/a?b=c', '/a#b', '/a\\b', '/a b', '/ü', '/a\r\nX: y'].map((path) => [{ path }, CHARACTER] as const),
    ...DOTS.map((path) => [{ path }, 'a path with a dot segment'] as const),
    [{ path: '/a/{id}' }, placeholder('id')],
    [{ path: '/a/{id}', id: '' }, placeholder('id')],
    [{ path: '/a/{id}/{part}', id: 'A' }, placeholder('part')],
    [{ path: '/a/{constructor}', id: 'A' }, placeholder('constructor')],
    [{ path: '/a/{id}', pathValues: { id: undefined as never } }, placeholder('id')],
    [{ path: '/a/{id}', id: '..' }, placeholder('id', A_DOT)],
    [{ path: '/a/{x}', pathValues: { x: '.' } }, placeholder('x', A_DOT)],
    ...['/a/{', '/a/}', '/a/{}', '/a/{i-d}', '/a/{{id}}'].map((path) => [{ path, id: 'A' }, CHARACTER] as const),
  ];
  it.each(titled(TARGETS, ([target]) => `refuses ${JSON.stringify(target)}`))('%s', async (_, target, sentence) => {
    for (const operation of [BY_ID, DETAILS]) {
      broken.send = (_, send) => send(target);
      await expectInternal(operation, `${methodOf(operation)} sent ${sentence}`);
    }
    // The two valid requests of the helper.
    expect(scripted.upstream.calls.map(({ path }) => path)).toEqual(['/shippings/by-id/SHP-1', '/shippings/details']);
  });

  it('fills placeholders with values that stay one segment each', async () => {
    broken.send = (_, send) =>
      send({ path: '/v2/{carrier}/{id}', id: '{carrier}', pathValues: { carrier: '../a?b#c' } }).then(() => NO_MATCH);
    await scripted.service.request(BY_ID.request);
    expect(scripted.upstream.calls[0]?.path).toBe('/v2/..%2Fa%3Fb%23c/%7Bcarrier%7D');
  });

  it.each(['.', '..'])('refuses the identifier %s of a job, in words', async (id) => {
    const bus = scripted.service.app.get(QueryBus);
    const message = 'The identifier of a query is a dot segment, which would change the path';
    await expect(bus.execute(new GetShippingInfoByIdQuery({ id }, jobContext()))).rejects.toMatchObject({ message });
    await expect(bus.execute(new GetShippingSingleQuery({ Id: id }, jobContext()))).rejects.toMatchObject({ message });
    expect(scripted.upstream.calls).toEqual([]);
  });

  it('sends arrays as repeated parameters, and booleans', async () => {
    const query = { tag: ['a&b', 'c', undefined], active: true, 'filter[day]': new Date(0), none: null, empty: [] };
    broken.send = (_, send) => send({ path: '/a', query }).then(() => NO_MATCH);
    await scripted.service.request(BY_ID.request);
    const sent = '/a?tag=a%26b&tag=c&active=true&filter[day]=1970-01-01T00%3A00%3A00.000Z';
    expect(scripted.upstream.calls[0]?.target).toBe(sent);
  });
});
