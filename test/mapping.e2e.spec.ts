import * as fc from 'fast-check';
import { expectAnswer, expectProblem, expectShape, expectUnavailable } from './support/expectations';
import { BY_ID, DETAILS, LISTS, type Operation, OPERATIONS, PAGED, SINGLE, SINGLES } from './support/operations';
import { useScriptedService } from './support/service';
import { gzip, json, jsonText } from './support/upstream/responses';
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
  mappedEmptyItem,
  mappedEmptyRecord,
  mappedItem,
  mappedRecord,
  pagedReply,
  RECORD_FIELDS,
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

/** The record of a response, whatever the operation; `undefined` where a list is empty. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what came over HTTP is looked at, not trusted
function recordOf({ name }: Operation, body: any): any {
  if (name === 'GetShippingDetails') return body[0];
  return name === 'GetShippingPagedList' ? body.items[0] : body;
}

describe('mapping', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  const ask = (operation: Operation) => scripted.service.request(operation.request);

  describe('D13 and D17: the shapes', () => {
    const spellings: [string, (reply: unknown) => unknown][] = [
      ['PascalCase', (reply) => reply],
      ['camelCase', inCamelCase],
    ];
    const replies: [Operation, unknown, unknown][] = [
      [SINGLE, wireRecord(), mappedRecord(SINGLE)],
      [BY_ID, wireRecord(), mappedRecord(BY_ID)],
      [DETAILS, detailsReply(), [mappedRecord(DETAILS)]],
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
          items: [mappedRecord(PAGED)],
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

    it.each(LISTS)('D13 $name keeps the order and all records of the upstream response', async (operation) => {
      const records = wireRecords(100).reverse();
      scripted.upstream.respondWith(json({ ...pagedReply(records), ...detailsReply(records) }));
      const body = (await ask(operation)).json();
      const items = (operation === DETAILS ? body : body.items) as { id: string }[];
      expect(items.map(({ id }) => id)).toEqual(records.map(({ Id }) => Id));
    });

    it.each(OPERATIONS)('D17 $name drops undocumented fields', async (operation) => {
      scripted.upstream.respondWith(json(anyReply({ ...wireRecord({ Secret: 'x', Items2: [] }), Extra: { a: 1 } })));
      expectAnswer(operation, await ask(operation), COMPLETE);
    });

    it.each(OPERATIONS)('D26 $name of a compressed upstream response', async (operation) => {
      scripted.upstream.respondWith(gzip());
      expectAnswer(operation, await ask(operation), COMPLETE);
    });
  });

  /** A row: what the record of the reply holds, what field is looked at, its value, and the completeness. */
  type FieldRow = readonly [wire: string, value: unknown, expected: unknown, completeness: string];

  const TEXT: [unknown, unknown, string][] = [
    [undefined, null, COMPLETE],
    [' a\tb ', ' a\tb ', COMPLETE],
    ['Ελλάδα 東京 \u{1f69a} <b>"', 'Ελλάδα 東京 \u{1f69a} <b>"', COMPLETE],
    [42, '42', COMPLETE],
    [1.5, '1.5', COMPLETE],
    [9007199254740991, '9007199254740991', COMPLETE],
    [digits('9007199254740993'), null, PARTIAL],
    [digits('1e400'), null, PARTIAL],
    [true, null, PARTIAL],
    [{}, null, PARTIAL],
    [[], null, PARTIAL],
    // D49
    ['a\ud800b', 'a\ufffdb', PARTIAL],
    ['\ude00\ud83d', '\ufffd\ufffd', PARTIAL],
    ['\ud83d\ude00 \ud55c', '\ud83d\ude00 \ud55c', COMPLETE],
    ['\\ud800', '\\ud800', COMPLETE],
  ];
  const NUMBER: [unknown, unknown, string][] = [
    [undefined, null, COMPLETE],
    [0, 0, COMPLETE],
    [3, 3, COMPLETE],
    [9007199254740991, 9007199254740991, COMPLETE],
    [digits('9007199254740993'), null, PARTIAL],
    [digits('1e400'), null, PARTIAL],
    ['12', null, PARTIAL],
    [[1], null, PARTIAL],
  ];
  const WEIGHT: [unknown, unknown, string][] = [
    ...NUMBER,
    [12.75, 12.75, COMPLETE],
    [digits('12.500'), 12.5, COMPLETE],
  ];
  const DATE: [unknown, unknown, string][] = [
    [undefined, null, COMPLETE],
    ['2026-03-14T09:26:53.589Z', '2026-03-14T09:26:53.589Z', COMPLETE],
    ['2026-03-14T09:26:53', '2026-03-14T09:26:53.000Z', COMPLETE],
    ['2026-03-14T09:26:53.5891234', '2026-03-14T09:26:53.589Z', COMPLETE],
    ['2026-03-14T09:26:53+05:30', '2026-03-14T03:56:53.000Z', COMPLETE],
    ['2026-03-14', '2026-03-14T00:00:00.000Z', COMPLETE],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z', COMPLETE],
    ['9999-12-31T23:59:59.9999999', '9999-12-31T23:59:59.999Z', COMPLETE],
    ['2026-02-30T00:00:00Z', null, PARTIAL],
    ['yesterday', null, PARTIAL],
    [1773480413589, null, PARTIAL],
  ];
  const STATUS: [unknown, unknown, string][] = [
    ['created', 'Created', COMPLETE],
    ['in_transit', 'InTransit', COMPLETE],
    ['delivered', 'Delivered', COMPLETE],
    ['cancelled', 'Cancelled', COMPLETE],
    ['In_Transit', 'InTransit', COMPLETE],
    ['cAnCeLlEd', 'Cancelled', COMPLETE],
    ['unknown', 'Unknown', COMPLETE],
    ['InTransit', 'Unknown', COMPLETE],
    ['del\u0131vered', 'Unknown', COMPLETE],
    ['__proto__', 'Unknown', COMPLETE],
    ['', 'Unknown', COMPLETE],
    [undefined, 'Unknown', COMPLETE],
    [1, 'Unknown', COMPLETE], // a number where text belongs is turned into text, and that is unknown
    [['created'], 'Unknown', PARTIAL],
    ['created\udfff', 'Unknown', PARTIAL],
  ];
  const DELETED: [unknown, unknown, string][] = [
    [false, true, COMPLETE],
    [true, false, COMPLETE],
    [undefined, true, COMPLETE],
    [null, true, COMPLETE],
    ['true', true, PARTIAL],
    [1, true, PARTIAL],
    [[], true, PARTIAL],
  ];
  const row = (wire: string, [value, expected, completeness]: [unknown, unknown, string]): FieldRow => [
    wire,
    value,
    expected,
    completeness,
  ];
  /** Every text field is read in the same way. */
  const SOME_TEXT = TEXT.filter(([value]) => [undefined, 42, true].includes(value as number | boolean | undefined));
  const FIELDS: [FieldRow, readonly Operation[]][] = (
    [
      [OPERATIONS, 'OrderId', TEXT],
      [OPERATIONS, 'ShippingAddress', SOME_TEXT],
      [OPERATIONS, 'TrackingNumber', SOME_TEXT],
      [OPERATIONS, 'Status', STATUS],
      [OPERATIONS, 'TotalWeight', WEIGHT],
      [OPERATIONS, 'CreatedDate', DATE],
      [OPERATIONS, 'IsDeleted', DELETED],
      [[SINGLE, BY_ID, PAGED], 'CreatedBy', SOME_TEXT],
      [SINGLES, 'ModifiedBy', SOME_TEXT],
      [SINGLES, 'ModifiedDate', DATE.slice(-3)],
    ] as [readonly Operation[], string, [unknown, unknown, string][]][]
  ).flatMap(([operations, wire, values]) =>
    values.map((one): [FieldRow, readonly Operation[]] => [row(wire, one), operations]),
  );
  const shownFields = (wire: string): string[] => {
    if (wire === 'IsDeleted') return ['isActive'];
    if (wire === 'Status') return ['status', 'statusDescription'];
    return [wire.charAt(0).toLowerCase() + wire.slice(1)];
  };

  it.each(
    FIELDS.map(
      ([one, operations]) =>
        [one[0], one[1] === undefined ? 'absent' : jsonOf(one[1]), one[3], one, operations] as const,
    ),
  )('D13 and D19: %s %s is %s', async (_, __, ___, [wire, value, expected, completeness], operations) => {
    scripted.upstream.respondWith(jsonText(replyWith(wireRecord({ [wire]: value }))));
    for (const operation of operations) {
      const answer = await ask(operation);
      expectAnswer(operation, answer, completeness);
      const changed = Object.fromEntries(shownFields(wire).map((field) => [field, expected]));
      expect(recordOf(operation, answer.json())).toEqual({ ...mappedRecord(operation), ...changed });
    }
  });

  describe('D19 the identifier of a record', () => {
    const usable: [unknown, string][] = [
      ['SHP-9', 'SHP-9'],
      [42, '42'],
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

    const unusable: unknown[] = [undefined, '', true, ['SHP-1'], digits('9007199254740993')];
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
    it.each(cases(SINGLES))(
      'D19 %s: a record whose Id is %s is a failed upstream response',
      async (_, __, id, operation) => {
        scripted.upstream.respondWith(jsonText(jsonOf(wireRecord({ Id: id }))));
        expectProblem(await ask(operation), 500, 'external-system-failed');
      },
    );

    it.each(
      LISTS.flatMap((operation) =>
        [null, 'x', [wireRecord()], {}].map((odd) => [operation.name, odd, operation] as const),
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

    it.each(LISTS)('D19 $name of malformed records only is empty and partial', async (operation) => {
      scripted.upstream.respondWith(json({ ...pagedReply([null, 1]), ...detailsReply([null, 1]) }));
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      expect(recordOf(operation, answer.json())).toBeUndefined();
    });
  });

  describe('D13 and D19: ShippingItems', () => {
    const sound = mappedItem();
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
      [{ 0: wireItem(), length: 1 }, [], PARTIAL],
      [
        [wireItem(), null, 7, 'x', true, [], [wireItem()], wireItem({ Id: 'ITM-9' })],
        [sound, { ...sound, id: 'ITM-9' }],
        PARTIAL,
      ],
      [[{}], [mappedEmptyItem()], COMPLETE],
      ...SOME_TEXT.map(itemField('Id', 'id')),
      ...SOME_TEXT.map(itemField('Sku', 'sku')),
      ...SOME_TEXT.map(itemField('Description', 'description')),
      ...NUMBER.map(itemField('Quantity', 'quantity')),
      ...WEIGHT.slice(-2).map(itemField('Weight', 'weight')),
    ];
    it.each(rows.map((one) => [one[0] === undefined ? 'absent' : jsonOf(one[0]), one[2], one] as const))(
      'D13 and D19: %s is %s',
      async (_, __, [items, expected, completeness]) => {
        scripted.upstream.respondWith(jsonText(jsonOf(wireRecord({ ShippingItems: items }))));
        for (const operation of SINGLES) {
          const answer = await ask(operation);
          expectAnswer(operation, answer, completeness);
          expect(answer.json()).toEqual(mappedRecord(operation, { shippingItems: expected }));
        }
      },
    );

    it('D13 all fields absent at once', async () => {
      scripted.upstream.respondWith(json({ Id: 'SHP-1' }));
      const answer = await ask(SINGLE);
      expectAnswer(SINGLE, answer, COMPLETE);
      expect(answer.json()).toEqual(mappedEmptyRecord(SINGLE));
    });
  });

  describe('D14 paging values', () => {
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
      text: '4',
      negative: -4,
      fractional: 4.5,
    };
    const badFlags = { absent: undefined, text: 'false', number: 0 };

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
        'the upstream values are used',
        { PageNumber: 2, PageSize: 9, TotalPages: 4 },
        { pageNumber: 2, pageSize: 9, totalPages: 4 },
      ],
      [
        'the upstream flags are used',
        { HasPreviousPage: false, HasNextPage: false },
        { hasPreviousPage: false, hasNextPage: false },
      ],
      ['pages from the size of the reply', { PageSize: 10, TotalPages: undefined }, { pageSize: 10, totalPages: 5 }],
      [
        'next from the upstream total pages',
        { TotalPages: 3, HasNextPage: undefined },
        { totalPages: 3, hasNextPage: false },
      ],
      [
        'previous from the upstream page number',
        { PageNumber: 1, HasPreviousPage: undefined },
        { pageNumber: 1, hasPreviousPage: false },
      ],
      [
        'next from the upstream page number',
        { PageNumber: 8, HasNextPage: undefined },
        { pageNumber: 8, hasNextPage: false },
      ],
      ['an unsafe integer', { TotalPages: digits('9007199254740993') }, shown],
    ])('D14 %s', async (_, overrides, expected) => {
      expect(await figures(overrides)).toEqual({ ...shown, ...expected });
    });

    it('D14 nothing found, all derived', async () => {
      scripted.upstream.respondWith(json({ Items: [], TotalCount: 0 }));
      const answer = await scripted.service.request('GetShippingPagedList');
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
        object: {},
        'array-like': { length: 0 },
      }).map(([kind, value]) => ['Items', kind, value] as const),
    ])('D14 %s %s is a failed upstream response', async (name, _, value) => {
      scripted.upstream.respondWith(jsonText(jsonOf(pagedReply([wireRecord()], { ...TRUE, [name]: value }))));
      expectUnavailable(PAGED, await ask(PAGED), 'bad-reply');
    });

    it.each<[string, unknown]>(Object.entries({ absent: undefined, text: 'x', object: {} }))(
      'D18 ShippingDetails %s is a failed upstream response',
      async (_, value) => {
        scripted.upstream.respondWith(json(detailsReply([], { ShippingDetails: value })));
        expectUnavailable(DETAILS, await ask(DETAILS), 'bad-reply');
      },
    );
  });

  describe('unusual JSON', () => {
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
      expect(recordOf(operation, answer.json())).toEqual(mappedRecord(operation));
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });

    it.each(OPERATIONS)('D19 $name of a field that is nested is partial', async (operation) => {
      scripted.upstream.respondWith(deepField(20));
      const answer = await ask(operation);
      expectAnswer(operation, answer, PARTIAL);
      expect(recordOf(operation, answer.json())).toEqual({ ...mappedRecord(operation), shippingAddress: null });
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

  describe('any upstream response', () => {
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
        ...Object.fromEntries(
          RECORD_FIELDS.flatMap(({ upstream }) => Object.keys(upstream)).map((name) => [name, field]),
        ),
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

    it.each(OPERATIONS)('D18 and D19: $name returns a documented response', async (operation) => {
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
        { numRuns: 75 },
      );
      expect(complete).toBe(150);
    });
  });
});
