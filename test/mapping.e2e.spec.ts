import * as fc from 'fast-check';
import { expectAnswer, expectProblem, expectShape, expectUnavailable } from './support/expectations';
import { BY_ID, DETAILS, LISTS, type Operation, OPERATIONS, PAGED, SINGLE, SINGLES } from './support/operations';
import { useScriptedService } from './support/service';
import { gzip, json, jsonText } from './support/upstream/answers';
import {
  byteOrderMark,
  deepField,
  deepJson,
  duplicateKeys,
  protoKeys,
  unsafeIntegers,
} from './support/upstream/body-faults';
import {
  anyReply,
  detailsReply,
  inCamelCase,
  pagedReply,
  wireItem,
  wireRecord,
  wireRecords,
  type WireObject,
} from './support/upstream/records';

const COMPLETE = 'complete';
const PARTIAL = 'partial;reason=bad-reply';
const UNAVAILABLE = 'unavailable;reason=bad-reply';

/** Written into JSON as the number that it holds, digit by digit. */
const digits = (text: string): string => `<digits:${text}>`;

/** JSON text, with {@link digits} as numbers that `JSON.stringify` could not write. */
function jsonOf(reply: unknown): string {
  return JSON.stringify(reply).replaceAll(/"<digits:([^>]+)>"/g, '$1');
}

/** A reply to any operation that holds this record only. */
function replyWith(record: unknown): string {
  const bare = typeof record === 'object' && record !== null ? record : {};
  return jsonOf({ ...bare, ...pagedReply([record]), ...detailsReply([record]) });
}

/** The record of an answer, whatever the operation; `undefined` where a list is empty. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what came over HTTP is looked at, not trusted
function recordOf({ name }: Operation, body: any): any {
  if (name === 'GetShippingDetails') return body[0];
  return name === 'GetShippingPagedList' ? body.items[0] : body;
}

const WHOLE = {
  id: 'SHP-1',
  orderId: 'ORD-1001',
  shippingAddress: 'Storgatan 5, 111 23 Göteborg, Sweden',
  trackingNumber: '1Z999AA10123456784',
  status: 'InTransit',
  statusDescription: 'InTransit',
  totalWeight: 12.75,
  createdDate: '2026-03-14T09:26:53.589Z',
  createdBy: 'warehouse.north',
  isActive: true,
  modifiedDate: '2026-03-15T16:04:00.000Z',
  modifiedBy: 'carrier.sync',
  shippingItems: [
    { id: 'ITM-1', sku: 'SKU-4711', description: 'Espresso cups, set of six', quantity: 2, weight: 1.25 },
    { id: 'ITM-2', sku: 'SKU-0815', description: 'Tea pot', quantity: 1, weight: 1.25 },
  ],
};

/** The whole record, as far as an operation shows it. */
function shownBy(operation: Operation): Record<string, unknown> {
  const { modifiedDate, modifiedBy, shippingItems, ...listed } = WHOLE;
  if (operation.single) return { ...listed, modifiedDate, modifiedBy, shippingItems };
  if (operation.name === 'GetShippingPagedList') return listed;
  return Object.fromEntries(Object.entries(listed).filter(([field]) => field !== 'createdBy'));
}

describe('mapping', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  const ask = (operation: Operation) => scripted.service.ask(operation.request);

  describe('D13 and D17: the shapes', () => {
    const spellings: [string, (reply: unknown) => unknown][] = [
      ['PascalCase', (reply) => reply],
      ['camelCase', inCamelCase],
    ];
    const replies: [Operation, unknown, unknown][] = [
      [SINGLE, wireRecord(), shownBy(SINGLE)],
      [BY_ID, wireRecord(), shownBy(BY_ID)],
      [DETAILS, detailsReply(), [shownBy(DETAILS)]],
      [
        PAGED,
        pagedReply([wireRecord()], {
          TotalCount: 29,
          PageNumber: 3,
          PageSize: 7,
          TotalPages: 5,
          HasPreviousPage: true,
          HasNextPage: true,
        }),
        {
          items: [shownBy(PAGED)],
          totalCount: 29,
          pageNumber: 3,
          pageSize: 7,
          totalPages: 5,
          hasPreviousPage: true,
          hasNextPage: true,
        },
      ],
    ];
    it.each(
      replies.flatMap(([operation, reply, expected]) =>
        spellings.map(([spelling, spell]) => [operation.name, spelling, operation, spell(reply), expected] as const),
      ),
    )('D17 %s of a reply in %s', async (_, __, operation, reply, expected) => {
      scripted.upstream.respondWith(json(reply));
      const answer = await ask(operation);
      expectAnswer(operation, answer, COMPLETE);
      expect(answer.json()).toEqual(expected);
    });

    it.each(LISTS)('D13 $name of no records', async (operation) => {
      scripted.upstream.respondWith(json({ ...pagedReply([], { PageNumber: 3, PageSize: 7 }), ...detailsReply([]) }));
      const answer = await ask(operation);
      expectAnswer(operation, answer, COMPLETE);
      expect(recordOf(operation, answer.json())).toBeUndefined();
    });

    it.each(LISTS)('D13 $name keeps the order of the reply, and every record of it', async (operation) => {
      const records = wireRecords(100).reverse();
      scripted.upstream.respondWith(json({ ...pagedReply(records), ...detailsReply(records) }));
      const body = (await ask(operation)).json();
      const items = (operation === DETAILS ? body : body.items) as { id: string }[];
      expect(items.map(({ id }) => id)).toEqual(records.map(({ Id }) => Id));
    });

    it.each(OPERATIONS)('D17 $name leaves out what is not documented', async (operation) => {
      scripted.upstream.respondWith(json(anyReply({ ...wireRecord({ Secret: 'x', Items2: [] }), Extra: { a: 1 } })));
      expectAnswer(operation, await ask(operation), COMPLETE);
    });

    it.each(OPERATIONS)('D26 $name of a compressed reply', async (operation) => {
      scripted.upstream.respondWith(gzip());
      expectAnswer(operation, await ask(operation), COMPLETE);
    });
  });

  /** A row: what the record of the reply holds, what field is looked at, its value, and the completeness. */
  type FieldRow = readonly [wire: string, value: unknown, expected: unknown, completeness: string];

  const TEXT: [unknown, unknown, string][] = [
    [undefined, null, COMPLETE],
    [null, null, COMPLETE],
    ['', '', COMPLETE],
    [' a\tb ', ' a\tb ', COMPLETE],
    ['Ελλάδα 東京 \u{1f69a} <b>"', 'Ελλάδα 東京 \u{1f69a} <b>"', COMPLETE],
    [42, '42', COMPLETE],
    [0, '0', COMPLETE],
    [-7, '-7', COMPLETE],
    [1.5, '1.5', COMPLETE],
    [9007199254740991, '9007199254740991', COMPLETE],
    [digits('9007199254740993'), null, PARTIAL],
    [digits('-9007199254740993'), null, PARTIAL],
    [digits('12345678901234567890123'), null, PARTIAL],
    [digits('1e400'), null, PARTIAL],
    [true, null, PARTIAL],
    [false, null, PARTIAL],
    [{}, null, PARTIAL],
    [{ toString: 'x' }, null, PARTIAL],
    [[], null, PARTIAL],
    [['ORD-1'], null, PARTIAL],
  ];
  const NUMBER: [unknown, unknown, string][] = [
    [undefined, null, COMPLETE],
    [null, null, COMPLETE],
    [0, 0, COMPLETE],
    [3, 3, COMPLETE],
    [9007199254740991, 9007199254740991, COMPLETE],
    [digits('9007199254740993'), null, PARTIAL],
    [digits('1e400'), null, PARTIAL],
    ['12', null, PARTIAL],
    ['', null, PARTIAL],
    ['x', null, PARTIAL],
    [true, null, PARTIAL],
    [{}, null, PARTIAL],
    [[1], null, PARTIAL],
  ];
  const WEIGHT: [unknown, unknown, string][] = [
    ...NUMBER,
    [12.75, 12.75, COMPLETE],
    [0.001, 0.001, COMPLETE],
    [digits('12.500'), 12.5, COMPLETE],
    [digits('1.25E1'), 12.5, COMPLETE],
  ];
  const DATE: [unknown, unknown, string][] = [
    [undefined, null, COMPLETE],
    [null, null, COMPLETE],
    ['2026-03-14T09:26:53.589Z', '2026-03-14T09:26:53.589Z', COMPLETE],
    ['2026-03-14T09:26:53.589', '2026-03-14T09:26:53.589Z', COMPLETE],
    ['2026-03-14T09:26:53', '2026-03-14T09:26:53.000Z', COMPLETE],
    ['2026-03-14T09:26', '2026-03-14T09:26:00.000Z', COMPLETE],
    ['2026-07-14T02:30:00', '2026-07-14T02:30:00.000Z', COMPLETE],
    ['2026-03-14T09:26:53.5891234', '2026-03-14T09:26:53.589Z', COMPLETE],
    ['2026-03-14T09:26:53.999999999Z', '2026-03-14T09:26:53.999Z', COMPLETE],
    ['2026-03-14T09:26:53+05:30', '2026-03-14T03:56:53.000Z', COMPLETE],
    ['2026-03-14T22:00:00.5-08:00', '2026-03-15T06:00:00.500Z', COMPLETE],
    ['2026-03-14', '2026-03-14T00:00:00.000Z', COMPLETE],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z', COMPLETE],
    ['9999-12-31T23:59:59.9999999', '9999-12-31T23:59:59.999Z', COMPLETE],
    ['2026-02-30T00:00:00Z', null, PARTIAL],
    ['2026-03-14T25:00:00Z', null, PARTIAL],
    ['yesterday', null, PARTIAL],
    ['1773480413', null, PARTIAL],
    ['03/14/2026', null, PARTIAL],
    ['Sat, 14 Mar 2026 09:26:53 GMT', null, PARTIAL],
    [1773480413589, null, PARTIAL],
    [true, null, PARTIAL],
    [{}, null, PARTIAL],
    [['2026-03-14'], null, PARTIAL],
  ];
  const STATUS: [unknown, unknown, string][] = [
    ['created', 'Created', COMPLETE],
    ['in_transit', 'InTransit', COMPLETE],
    ['delivered', 'Delivered', COMPLETE],
    ['cancelled', 'Cancelled', COMPLETE],
    ['CREATED', 'Created', COMPLETE],
    ['In_Transit', 'InTransit', COMPLETE],
    ['Delivered', 'Delivered', COMPLETE],
    ['cAnCeLlEd', 'Cancelled', COMPLETE],
    ['unknown', 'Unknown', COMPLETE],
    ['canceled', 'Unknown', COMPLETE],
    ['InTransit', 'Unknown', COMPLETE],
    ['in transit', 'Unknown', COMPLETE],
    ['in-transit', 'Unknown', COMPLETE],
    ['del\u0131vered', 'Unknown', COMPLETE],
    ['in_tran\u017fit', 'Unknown', COMPLETE],
    ['returned', 'Unknown', COMPLETE],
    ['__proto__', 'Unknown', COMPLETE],
    ['constructor', 'Unknown', COMPLETE],
    ['toString', 'Unknown', COMPLETE],
    ['', 'Unknown', COMPLETE],
    [undefined, 'Unknown', COMPLETE],
    [null, 'Unknown', COMPLETE],
    [1, 'Unknown', COMPLETE], // a number where text belongs is turned into text, and that is unknown
    [true, 'Unknown', PARTIAL],
    [{}, 'Unknown', PARTIAL],
    [['created'], 'Unknown', PARTIAL],
  ];
  const DELETED: [unknown, unknown, string][] = [
    [false, true, COMPLETE],
    [true, false, COMPLETE],
    [undefined, true, COMPLETE],
    [null, true, COMPLETE],
    ['true', true, PARTIAL],
    ['false', true, PARTIAL],
    [1, true, PARTIAL],
    [0, true, PARTIAL],
    [{}, true, PARTIAL],
    [[], true, PARTIAL],
  ];
  const row = (wire: string, [value, expected, completeness]: [unknown, unknown, string]): FieldRow => [
    wire,
    value,
    expected,
    completeness,
  ];
  const COMMON: FieldRow[] = [
    ...['OrderId', 'ShippingAddress', 'TrackingNumber'].flatMap((field) => TEXT.map((one) => row(field, one))),
    ...STATUS.map((one) => row('Status', one)),
    ...WEIGHT.map((one) => row('TotalWeight', one)),
    ...DATE.map((one) => row('CreatedDate', one)),
    ...DELETED.map((one) => row('IsDeleted', one)),
  ];
  const CREATED_BY: FieldRow[] = TEXT.map((one) => row('CreatedBy', one));
  const DETAIL: FieldRow[] = [
    ...TEXT.map((one) => row('ModifiedBy', one)),
    ...DATE.map((one) => row('ModifiedDate', one)),
  ];
  const shownFields = (wire: string): string[] => {
    if (wire === 'IsDeleted') return ['isActive'];
    if (wire === 'Status') return ['status', 'statusDescription'];
    return [wire.charAt(0).toLowerCase() + wire.slice(1)];
  };

  describe.each<[string, Operation, FieldRow[]]>([
    [SINGLE.name, SINGLE, [...COMMON, ...CREATED_BY, ...DETAIL]],
    [BY_ID.name, BY_ID, [...COMMON, ...CREATED_BY, ...DETAIL]],
    [DETAILS.name, DETAILS, COMMON],
    [PAGED.name, PAGED, [...COMMON, ...CREATED_BY]],
  ])('D13 and D19: fields of %s', (_name, operation, rows) => {
    it.each(rows.map((one) => [one[0], one[1] === undefined ? 'absent' : jsonOf(one[1]), one[3], one] as const))(
      'D19 %s %s is %s',
      async (_, __, ___, [wire, value, expected, completeness]) => {
        scripted.upstream.respondWith(jsonText(replyWith(wireRecord({ [wire]: value }))));
        const answer = await ask(operation);
        expectAnswer(operation, answer, completeness);
        const changed = Object.fromEntries(shownFields(wire).map((field) => [field, expected]));
        expect(recordOf(operation, answer.json())).toEqual({ ...shownBy(operation), ...changed });
      },
    );
  });

  describe('D19 the identifier of a record', () => {
    const usable: [unknown, string][] = [
      ['SHP-9', 'SHP-9'],
      [42, '42'],
      [9007199254740991, '9007199254740991'],
      ['no identifier by D9 / at all', 'no identifier by D9 / at all'],
    ];
    it.each(
      OPERATIONS.flatMap((operation) => usable.map(([id, shown]) => [operation.name, id, shown, operation] as const)),
    )('D19 %s: %j is usable', async (_, id, shown, operation) => {
      scripted.upstream.respondWith(jsonText(replyWith(wireRecord({ Id: id }))));
      const answer = await ask(operation);
      expectAnswer(operation, answer, COMPLETE);
      expect(recordOf(operation, answer.json()).id).toBe(shown);
    });

    const unusable: unknown[] = [
      undefined,
      null,
      '',
      true,
      {},
      [],
      ['SHP-1'],
      digits('9007199254740993'),
      digits('1e999'),
    ];
    const cases = (operations: readonly Operation[]) =>
      operations.flatMap((operation) =>
        unusable.map((id) => [operation.name, id === undefined ? 'absent' : jsonOf(id), id, operation] as const),
      );
    it.each(cases(LISTS))('D19 %s: a record whose Id is %s is dropped', async (_, __, id, operation) => {
      const records = [wireRecord({ Id: 'SHP-A' }), wireRecord({ Id: id }), wireRecord({ Id: 'SHP-B' })];
      scripted.upstream.respondWith(jsonText(jsonOf({ ...pagedReply(records), ...detailsReply(records) })));
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      const body = answer.json();
      const items = (operation === DETAILS ? body : body.items) as { id: string }[];
      expect(items.map((item) => item.id)).toEqual(['SHP-A', 'SHP-B']);
    });
    it.each(cases(SINGLES))('D19 %s: a record whose Id is %s is a failed reply', async (_, __, id, operation) => {
      scripted.upstream.respondWith(jsonText(jsonOf(wireRecord({ Id: id }))));
      expectProblem(await ask(operation), 500, 'external-system-failed');
    });

    it.each(
      LISTS.flatMap((operation) =>
        [null, 7, 'x', true, [], [wireRecord()], {}].map((odd) => [operation.name, odd, operation] as const),
      ),
    )('D19 %s: %j among a hundred leaves ninety-nine, partial', async (_, odd, operation) => {
      const records: unknown[] = wireRecords(100);
      records[41] = odd;
      const figures = { TotalCount: 100, PageNumber: 1, PageSize: 100 };
      scripted.upstream.respondWith(json({ ...pagedReply(records, figures), ...detailsReply(records) }));
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      const body = answer.json();
      expect(operation === DETAILS ? body : body.items).toHaveLength(99);
      if (operation === PAGED) expect(body.totalCount).toBe(100);
    });

    it.each(LISTS)('D19 $name of nothing but odd records is empty and partial', async (operation) => {
      scripted.upstream.respondWith(json({ ...pagedReply([null, 1]), ...detailsReply([null, 1]) }));
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      expect(recordOf(operation, answer.json())).toBeUndefined();
    });
  });

  describe('D13 and D19: ShippingItems', () => {
    const sound = { id: 'ITM-1', sku: 'SKU-4711', description: 'Espresso cups, set of six', quantity: 2, weight: 1.25 };
    const itemField =
      (wire: string, shown: string) =>
      ([value, expected, completeness]: [unknown, unknown, string]) =>
        [[wireItem({ [wire]: value })], [{ ...sound, [shown]: expected }], completeness] as [unknown, unknown, string];
    const rows: [unknown, unknown, string][] = [
      [undefined, [], COMPLETE],
      [null, [], COMPLETE],
      [[], [], COMPLETE],
      [[wireItem()], [sound], COMPLETE],
      ['x', [], PARTIAL],
      [7, [], PARTIAL],
      [true, [], PARTIAL],
      [{}, [], PARTIAL],
      [{ 0: wireItem(), length: 1 }, [], PARTIAL],
      [[null], [], PARTIAL],
      [
        [wireItem(), null, 7, 'x', true, [], [wireItem()], wireItem({ Id: 'ITM-9' })],
        [sound, { ...sound, id: 'ITM-9' }],
        PARTIAL,
      ],
      [[{}], [{ id: null, sku: null, description: null, quantity: null, weight: null }], COMPLETE],
      ...TEXT.map(itemField('Id', 'id')),
      ...TEXT.map(itemField('Sku', 'sku')),
      ...TEXT.map(itemField('Description', 'description')),
      ...NUMBER.map(itemField('Quantity', 'quantity')),
      ...WEIGHT.map(itemField('Weight', 'weight')),
    ];
    it.each(
      SINGLES.flatMap((operation) =>
        rows.map(
          (one) => [operation.name, one[0] === undefined ? 'absent' : jsonOf(one[0]), one[2], operation, one] as const,
        ),
      ),
    )('D19 %s: %s is %s', async (_, __, ___, operation, [items, expected, completeness]) => {
      scripted.upstream.respondWith(jsonText(jsonOf(wireRecord({ ShippingItems: items }))));
      const answer = await ask(operation);
      expectAnswer(operation, answer, completeness);
      expect(answer.json()).toEqual({ ...WHOLE, shippingItems: expected });
    });

    it('D13 all fields absent at once', async () => {
      scripted.upstream.respondWith(json({ Id: 'SHP-1' }));
      const answer = await ask(SINGLE);
      expectAnswer(SINGLE, answer, COMPLETE);
      expect(answer.json()).toEqual({
        id: 'SHP-1',
        orderId: null,
        shippingAddress: null,
        trackingNumber: null,
        status: 'Unknown',
        statusDescription: 'Unknown',
        totalWeight: null,
        createdDate: null,
        createdBy: null,
        isActive: true,
        modifiedDate: null,
        modifiedBy: null,
        shippingItems: [],
      });
    });
  });

  describe('D14 paging figures', () => {
    // The sound request asks for page 3 of 7 records each; 50 of them make 8 pages.
    const TRUE = {
      TotalCount: 50,
      PageNumber: 3,
      PageSize: 7,
      TotalPages: 8,
      HasPreviousPage: true,
      HasNextPage: true,
    };
    const shown = {
      totalCount: 50,
      pageNumber: 3,
      pageSize: 7,
      totalPages: 8,
      hasPreviousPage: true,
      hasNextPage: true,
    };
    const bad = {
      absent: undefined,
      null: null,
      text: '4',
      negative: -4,
      fractional: 4.5,
      boolean: true,
      object: {},
      array: [4],
    };
    const badFlags = { absent: undefined, null: null, text: 'false', number: 0, object: {}, array: [] };

    const figures = async (overrides: WireObject): Promise<unknown> => {
      scripted.upstream.respondWith(jsonText(jsonOf(pagedReply([wireRecord()], { ...TRUE, ...overrides }))));
      const answer = await ask(PAGED);
      expectAnswer(PAGED, answer);
      const body = answer.json();
      expect(body.items).toHaveLength(1);
      delete body.items;
      return body;
    };

    it.each(
      ['PageNumber', 'PageSize', 'TotalPages'].flatMap((name) =>
        Object.entries(bad).map(([kind, value]) => [name, kind, value] as const),
      ),
    )('D14 %s %s is derived', async (name, _, value) => {
      expect(await figures({ [name]: value })).toEqual(shown);
    });
    it.each(
      ['HasPreviousPage', 'HasNextPage'].flatMap((name) =>
        Object.entries(badFlags).map(([kind, value]) => [name, kind, value] as const),
      ),
    )('D14 %s %s is derived', async (name, _, value) => {
      expect(await figures({ [name]: value })).toEqual(shown);
    });

    const none = {
      PageNumber: undefined,
      PageSize: undefined,
      TotalPages: undefined,
      HasPreviousPage: undefined,
      HasNextPage: undefined,
    };
    it.each<[string, WireObject, object]>([
      ['all derived', none, shown],
      [
        'all derived, on the last page',
        { ...none, TotalCount: 21 },
        { totalCount: 21, totalPages: 3, hasNextPage: false },
      ],
      ['all derived, one more than a full page', { ...none, TotalCount: 22 }, { totalCount: 22, totalPages: 4 }],
      [
        'the reply is believed',
        { PageNumber: 2, PageSize: 9, TotalPages: 4 },
        { pageNumber: 2, pageSize: 9, totalPages: 4 },
      ],
      [
        'the flags of the reply are believed',
        { HasPreviousPage: false, HasNextPage: false },
        { hasPreviousPage: false, hasNextPage: false },
      ],
      ['pages from the size of the reply', { PageSize: 10, TotalPages: undefined }, { pageSize: 10, totalPages: 5 }],
      [
        'next from the pages of the reply',
        { TotalPages: 3, HasNextPage: undefined },
        { totalPages: 3, hasNextPage: false },
      ],
      [
        'previous from the page of the reply',
        { PageNumber: 1, HasPreviousPage: undefined },
        { pageNumber: 1, hasPreviousPage: false },
      ],
      [
        'next from the page of the reply',
        { PageNumber: 8, HasNextPage: undefined },
        { pageNumber: 8, hasNextPage: false },
      ],
      ['an unsafe integer', { TotalPages: digits('9007199254740993') }, shown],
    ])('D14 %s', async (_, overrides, expected) => {
      expect(await figures(overrides)).toEqual({ ...shown, ...expected });
    });

    it('D14 nothing found, all derived', async () => {
      scripted.upstream.respondWith(json({ Items: [], TotalCount: 0 }));
      const answer = await scripted.service.ask('GetShippingPagedList');
      expectAnswer(PAGED, answer, COMPLETE);
      expect(answer.json()).toEqual({
        items: [],
        totalCount: 0,
        pageNumber: 1,
        pageSize: 10,
        totalPages: 0,
        hasPreviousPage: false,
        hasNextPage: false,
      });
    });

    it.each<[string, WireObject]>([
      ['a page size of zero', { PageSize: 0, TotalPages: undefined }],
      ['a page number of zero', { PageNumber: 0, HasPreviousPage: undefined }],
      ['the greatest total', { TotalCount: 9007199254740991, PageSize: 1, TotalPages: undefined }],
    ])('D14 whole figures for %s', async (_, overrides) => {
      await figures(overrides); // looks at the shape, where a figure is an integer
    });

    it.each([
      ...Object.entries(bad).map(([kind, value]) => ['TotalCount', kind, value] as const),
      ['TotalCount', 'beyond what a number holds', digits('9007199254740993')] as const,
      ...Object.entries({
        absent: undefined,
        null: null,
        text: 'x',
        number: 1,
        object: {},
        'array-like': { length: 0 },
      }).map(([kind, value]) => ['Items', kind, value] as const),
    ])('D14 %s %s is a failed reply', async (name, _, value) => {
      scripted.upstream.respondWith(jsonText(jsonOf(pagedReply([wireRecord()], { ...TRUE, [name]: value }))));
      expectUnavailable(PAGED, await ask(PAGED), 'bad-reply');
    });

    it.each<[string, unknown]>(Object.entries({ absent: undefined, null: null, text: 'x', number: 1, object: {} }))(
      'D18 ShippingDetails %s is a failed reply',
      async (_, value) => {
        scripted.upstream.respondWith(json(detailsReply([], { ShippingDetails: value })));
        expectUnavailable(DETAILS, await ask(DETAILS), 'bad-reply');
      },
    );
  });

  describe('odd JSON', () => {
    it.each(OPERATIONS)('D19 $name never passes an integer on rounded', async (operation) => {
      scripted.upstream.respondWith(unsafeIntegers());
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      expect(answer.body).not.toMatch(/900719925474099\d/);
    });

    it.each(OPERATIONS)('D19 $name of keys that are no keys of a record', async (operation) => {
      scripted.upstream.respondWith(protoKeys());
      const answer = await ask(operation);
      expectAnswer(operation, answer, COMPLETE);
      expect(recordOf(operation, answer.json())).toEqual(shownBy(operation));
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });

    it.each(OPERATIONS)('D19 $name of a field of a great depth is partial', async (operation) => {
      scripted.upstream.respondWith(deepField(20_000));
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      expect(recordOf(operation, answer.json())).toEqual({ ...shownBy(operation), shippingAddress: null });
    });

    it.each(LISTS)('D18 $name of nothing but depth is unavailable', async (operation) => {
      scripted.upstream.respondWith(deepJson(50_000));
      expectUnavailable(operation, await ask(operation), 'bad-reply');
    });

    it.each(SINGLES)('D18 $name of nothing but depth has failed', async (operation) => {
      scripted.upstream.respondWith(deepJson(50_000));
      expectProblem(await ask(operation), 500, 'external-system-failed');
    });

    it.each(OPERATIONS)('$name of keys given twice keeps its shape', async (operation) => {
      scripted.upstream.respondWith(duplicateKeys());
      expectAnswer(operation, await ask(operation));
    });

    it.each(LISTS)('$name behind a byte order mark keeps its shape', async (operation) => {
      scripted.upstream.respondWith(byteOrderMark());
      expectAnswer(operation, await ask(operation));
    });
  });

  describe('whatever the external system replies', () => {
    const field = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>('in_transit', '2026-03-14T09:26:53', '', 0, -1, 1.5, 1e300, true, null),
      fc.constantFrom('9007199254740993', '1e999', '-0', '0.1e-400').map(digits),
    );
    const item = fc.oneof(
      field,
      fc.record({ Id: field, Sku: field, Description: field, Quantity: field, Weight: field }, { requiredKeys: [] }),
    );
    const record = fc.record(
      {
        Id: fc.oneof({ weight: 3, arbitrary: fc.constant('SHP-1') }, field),
        OrderId: field,
        ShippingAddress: field,
        TrackingNumber: field,
        Status: field,
        TotalWeight: field,
        CreatedDate: field,
        CreatedBy: field,
        ModifiedDate: field,
        ModifiedBy: field,
        IsDeleted: field,
        ShippingItems: fc.oneof(field, fc.array(item, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    );
    const records = fc.oneof(
      { weight: 4, arbitrary: fc.array(fc.oneof({ weight: 3, arbitrary: record }, field), { maxLength: 4 }) },
      field,
    );
    const list = fc.record(
      {
        Items: records,
        ShippingDetails: records,
        TotalCount: fc.oneof({ weight: 3, arbitrary: fc.nat() }, field),
        PageNumber: field,
        PageSize: field,
        TotalPages: field,
        HasPreviousPage: field,
        HasNextPage: field,
      },
      { requiredKeys: [] },
    );
    const reply: fc.Arbitrary<unknown> = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(record, list).map(([one, many]) => ({ ...one, ...many })) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );

    it.each(OPERATIONS)(
      'D18 and D19: $name gives a documented answer',
      async (operation) => {
        let complete = 0;
        await fc.assert(
          fc.asyncProperty(reply, fc.boolean(), async (value, camel) => {
            // Sound answers in between keep the circuit closed, whatever share of the others fails.
            scripted.upstream.enqueue(jsonText(jsonOf(camel ? inCamelCase(value) : value)), json(), json());
            const answer = await ask(operation);
            if (!operation.single || answer.status === 200) {
              expectAnswer(operation, answer);
              if (answer.headers['shipping-completeness'] === UNAVAILABLE)
                expectUnavailable(operation, answer, 'bad-reply');
            } else {
              expect([404, 500]).toContain(answer.status);
              expectProblem(
                answer,
                answer.status,
                answer.status === 404 ? 'shipping-not-found' : 'external-system-failed',
              );
            }
            for (let again = 0; again < 2; again++) {
              const sound = await ask(operation);
              expectShape(operation, sound.json());
              if (sound.headers['shipping-completeness'] === COMPLETE) complete++;
            }
          }),
          { numRuns: 150 },
        );
        expect(complete).toBe(300);
      },
      30_000,
    );
  });
});
