import { NotFoundException } from '@nestjs/common';
import { StubbedGateway } from '../../../../test/support/stubbed-gateway';
import { thrownBy } from '../../../../test/support/units';
import { mappedRecord, wirePage, wireRecord } from '../../../../testing/upstream/records';
import { InvalidParametersException } from '../../../http/problems/problem-definitions';
import { COMPLETE } from '../../model/query-result';
import type { Method } from './compare-with-request';
import { ProtocolCalls } from './protocol-call';
import { StandardProtocol } from './standard-protocol';

/** What a test does in the place of the methods of the protocol; as JavaScript would, without types. */
let broken: { method?: () => unknown; check?: () => unknown; headers?: () => unknown };
beforeEach(() => {
  broken = {};
});
class BrokenProtocol extends StandardProtocol {
  override check(): void {
    return broken.check?.() as undefined;
  }
  override headers(): Record<string, string> {
    return (broken.headers?.() ?? {}) as Record<string, string>;
  }
  override record: StandardProtocol['record'] = (...call) =>
    (broken.method ?? super.record.bind(this))(...call) as never;
  override list: StandardProtocol['list'] = (...call) => (broken.method ?? super.list.bind(this))(...call) as never;
  override page: StandardProtocol['page'] = (...call) => (broken.method ?? super.page.bind(this))(...call) as never;
}
const gateway = new StubbedGateway(BrokenProtocol);
const causeOf = async (method: Method): Promise<string | undefined> =>
  (await gateway.find(method, {}, method === 'record' ? wireRecord() : wirePage())).cause;

const METHODS = ['record', 'list', 'page'] as const;
const fail = (error: unknown) => (): never => {
  throw error;
};
const INVALID = 'returned an invalid result';
const BAD = { level: 'partial', reason: 'bad-reply' };
const ends = (completeness: unknown) => (): unknown => ({ body: [], completeness });

describe('D86 a protocol that is broken', () => {
  it.each<[fault: string, behave: () => unknown, sentence: string]>([
    ['throws', fail(new TypeError('secret')), 'threw TypeError'],
    ['rejects', () => Promise.reject(new RangeError('secret')), 'threw RangeError'],
    ['throws no error', fail('secret'), 'threw a thrown string'],
    ['throws an exception of Nest', fail(new NotFoundException('secret')), 'threw NotFoundException'],
    ['returns nothing', () => undefined, INVALID],
    ['returns a body alone', () => ({ body: [] }), `${INVALID}.completeness`],
    ['returns an unknown level', ends({ level: 'full' }), `${INVALID}.completeness.level`],
    ['returns a reason of its own', ends({ ...BAD, reason: 'x\r\nA: b' }), `${INVALID}.completeness.reason`],
    ['returns no number', ends({ level: 'complete', limit: 'x' }), `${INVALID}.completeness.limit`],
    ['returns causes that are no list', ends({ ...BAD, causes: { a: 1 } }), `${INVALID}.completeness.causes`],
  ])('it %s', async (_, behave, sentence) => {
    broken.method = behave;
    for (const method of METHODS) expect(await causeOf(method)).toBe(`BrokenProtocol.${method} ${sentence}`);
  });

  const item = (changes: object): object => ({ ...mappedRecord({ body: 'page' }), ...changes });
  const PAGE = { items: [], totalCount: 0, pageNumber: 1, pageSize: 1, totalPages: 0 };
  const page = (changes: object): object => ({ ...PAGE, hasPreviousPage: false, hasNextPage: false, ...changes });
  it.each<[method: Method, path: string, body: unknown]>([
    ['record', 'body.id', {}],
    ['record', 'body', null],
    ['record', 'body.shippingItems.0', { ...mappedRecord({ body: 'record' }), shippingItems: [1] }],
    ['record', 'body.modifiedBy', { ...mappedRecord({ body: 'record' }), modifiedBy: undefined }],
    ['list', 'body', { ShippingDetails: [] }],
    ['list', 'body.0', [null]],
    ['list', 'body.1.id', [item({}), item({ id: 5 })]],
    ['list', 'body.0.id', [item({ id: '' })]],
    ['list', 'body.0.orderId', [item({ orderId: 1 })]],
    ['list', 'body.0.status', [item({ status: 'in_transit' })]],
    ['list', 'body.0.totalWeight', [item({ totalWeight: 1n })]],
    ['list', 'body.0.isActive', [item({ isActive: 'yes' })]],
    ['page', 'body', []],
    ['page', 'body.totalCount', { items: [] }],
    ['page', 'body.totalCount', page({ totalCount: -1 })],
    ['page', 'body.pageSize', page({ pageSize: NaN })],
    ['page', 'body.hasNextPage', page({ hasNextPage: undefined })],
    ['page', 'body.items.0.id', page({ items: [{}] })],
  ])('its %s returns an invalid %s', async (method, path, body) => {
    broken.method = () => ({ body, completeness: COMPLETE });
    expect(await causeOf(method)).toBe(`BrokenProtocol.${method} returned an invalid result.${path}`);
  });

  it.each<[fault: string, check: () => unknown]>([
    ['refuses later', () => Promise.reject(new InvalidParametersException([]))],
    ['returns null', () => null],
    ['returns a broken thenable', () => ({ then: fail(new TypeError('secret')) })],
  ])('its check %s', async (_, check) => {
    broken.check = check;
    const rule = 'it refuses by an exception, and must not be asynchronous';
    expect(await causeOf('list')).toBe(`BrokenProtocol.check returned something: ${rule}`);
  });

  it.each([new NotFoundException('secret'), new TypeError('secret')])('its check throws %p', async (error) => {
    broken.check = fail(error);
    expect(await causeOf('list')).toBe(`BrokenProtocol.check threw ${error.name}`);
  });

  it.each<[string, () => unknown, sentence: string]>([
    ['a name with a space', () => ({ 'X Version': '1' }), 'threw '],
    ['a line feed', () => ({ 'X-Version': '1\n' }), 'threw '],
    ['no value', () => ({ 'X-Version': undefined }), 'threw '],
    ['no text', () => ({ 'X-Version': {} }), 'threw TypeError'],
    ['one of the service', () => ({ TraceParent: '1' }), 'returned TraceParent, which the service sets itself'],
    ['an error', fail(new Error('secret')), 'threw Error'],
  ])('its headers are refused: %s', async (_, headers, sentence) => {
    broken.headers = headers;
    expect(await causeOf('list')).toContain(`BrokenProtocol.list sent BrokenProtocol.headers ${sentence}`);
  });
});

it.each([{ id: '..' }, { id: '.' }, { parameters: { Id: '..' } }])('D9 %j of a job is refused', async (request) => {
  const cause = 'The identifier of a query is a dot segment, which would change the path';
  expect((await gateway.find('record', request, wireRecord())).cause).toBe(cause);
  expect(gateway.sent).toEqual([]);
});

it('D20 D83 what the external system does not have is refused in words for the client', () => {
  const calls = new ProtocolCalls({ parameters: ['OrderId'], unsupported: { paged: 'There is no list.' } } as never);
  const refusalOf = (name: string, parameters: object): unknown =>
    thrownBy(() => {
      calls.check({ operation: { name, path: () => '/test' }, parameters });
    });
  const filter = { status: 400, detail: expect.stringMatching(/^Status cannot be applied/) as unknown };
  expect(refusalOf('toString', { OrderId: '1', Status: 'Created', ToDate: null })).toMatchObject({
    definition: filter,
  });
  expect(refusalOf('paged', {})).toMatchObject({ definition: { status: 501, detail: 'There is no list.' } });
});

describe('D83 no parameter is lost in silence', () => {
  class PlainProtocol extends StandardProtocol {
    override readonly parameters = ['OrderId', 'Service'];
    override readonly sortKeys = ['CreatedDate'] as const;
  }
  const plain = new StubbedGateway(PlainProtocol);
  const sentFor = async (parameters: object, of = plain): Promise<string | undefined> => {
    const { cause } = await of.find('page', { parameters }, wirePage());
    return cause ?? of.sent.pop();
  };

  it('one that the protocol does not read is an error that names it, and nothing is sent', async () => {
    const cause = 'PlainProtocol does not read Depot, Lane: see its "parameters"';
    expect(await sentFor({ OrderId: 'ORD-1001', Service: 'x', Depot: 'north', Lane: 1 })).toBe(cause);
    expect(plain.sent).toEqual([]);
    expect(await sentFor({ OrderId: 'ORD-1001', Service: 'x', Depot: undefined })).toBe(
      '/test?OrderId=ORD-1001&Service=x',
    );
  });

  it('the standard protocol sends each under its name', async () => {
    expect(await sentFor({ Service: 'x', Depot: 'north' }, new StubbedGateway())).toBe('/test?Service=x&Depot=north');
  });

  it.each([
    [{ SortBy: 'Status', SortDirection: 'asc' }, 'SortBy=CreatedDate&SortDirection=desc'],
    [{ SortBy: 'CreatedDate', SortDirection: 'asc' }, 'SortBy=CreatedDate&SortDirection=asc'],
    [{ PageNumber: 1, PageSize: 10 }, 'PageNumber=1&PageSize=10'],
  ])('D8 a sorting that the protocol cannot apply is the default one: %j', async (parameters, sent) => {
    expect(await sentFor(parameters)).toBe(`/test?${sent}`);
  });
});
