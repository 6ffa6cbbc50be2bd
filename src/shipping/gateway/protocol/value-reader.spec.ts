import { SINGLE } from '../../../../test/support/operations';
import { inWords } from '../../../../test/support/units';
import {
  absentFields,
  mappedEmptyItem,
  mappedItem,
  mappedRecord,
  RECORD_FIELDS,
  wireItem,
  wireList,
  type WireObject,
  wireRecord,
} from '../../../../testing/upstream/records';
import { COMPLETE } from '../../model/query-result';
import { toLookupItems, toShippingDetail } from './response-mapping';

const ITEM = mappedItem();
const DETAIL = mappedRecord(SINGLE, { shippingItems: [ITEM] });
const soundRecord = (overrides: WireObject = {}): WireObject =>
  wireRecord({ ShippingItems: [wireItem()], ...overrides });
const UNSAFE: unknown = JSON.parse('9007199254740993');
const partial = (cause: string): object => ({ level: 'partial', reason: 'bad-reply', cause });

type Row = [field: string, value: unknown, name: string, expected: unknown];
type MalformedRow = [...Row, cause: string];

const weights = (weight: unknown, ...texts: string[]): Row[] =>
  texts.map((text) => ['TotalWeight', text, 'totalWeight', weight]);
const unknownStatus = (word: unknown): Row => ['Status', word, 'status', 'Unknown'];
const nullDate = (text: string): Row => ['CreatedDate', text, 'createdDate', null];
const noDate = (rest: string): Row => nullDate(`0001-01-01${rest}`);

/** Values that can be read in one way only, and what is read. */
const READ: Row[] = [
  ['Id', 42, 'id', '42'],
  ['Id', 'SHP-7   ', 'id', 'SHP-7'],
  ['OrderId', 1001, 'orderId', '1001'],
  ['OrderId', Number.MIN_SAFE_INTEGER, 'orderId', '-9007199254740991'],
  ['ShippingAddress', '', 'shippingAddress', ''],
  ['ShippingAddress', 'a\ud83d', 'shippingAddress', 'a\ud83d'],
  ['TrackingNumber', 'null', 'trackingNumber', 'null'],
  ['TrackingNumber', ' 12.50 ', 'trackingNumber', ' 12.50 '],
  // As old data has it, which was broken before it was stored.
  ['ShippingAddress', 'M\ufffdnchen', 'shippingAddress', 'M\ufffdnchen'],
  // The table of the specification.
  ['Status', 'CREATED', 'status', 'Created'],
  ['Status', 'In_Transit', 'statusDescription', 'InTransit'],
  ['Status', 'delivered', 'status', 'Delivered'],
  ['Status', 'Cancelled', 'status', 'Cancelled'],
  ['Status', ' created\t', 'status', 'Created'],
  ...['', ' ', undefined, null].map(unknownStatus),
  ['TotalWeight', 0, 'totalWeight', 0],
  ['TotalWeight', 5e-324, 'totalWeight', 5e-324],
  ...weights(12.75, '12.75', '12.750', '1.275e1', '1275E-2', '1.275e+1'),
  ...weights(expect.closeTo(0), '0', '0.00', '-0'),
  ['TotalWeight', '-3', 'totalWeight', -3],
  ['TotalWeight', '0.0000001', 'totalWeight', 1e-7],
  ['TotalWeight', '0.30000000000000004', 'totalWeight', 0.30000000000000004],
  ['TotalWeight', '9007199254740991', 'totalWeight', Number.MAX_SAFE_INTEGER],
  ...weights(null, '', ' ', '\t\u00a0'),
  ['CreatedDate', '2026-03-14 09:26:53', 'createdDate', '2026-03-14T09:26:53.000Z'],
  ['CreatedDate', '2026-03-14 09:26:53.5890000Z', 'createdDate', '2026-03-14T09:26:53.589Z'],
  ['CreatedDate', '2026-03-14T09:26:53+0200', 'createdDate', '2026-03-14T07:26:53.000Z'],
  ['CreatedDate', '2026-03-14 09:26-0330', 'createdDate', '2026-03-14T12:56:00.000Z'],
  ['CreatedDate', '2026-03-14T09:26+02', 'createdDate', '2026-03-14T07:26:00.000Z'],
  ['CreatedDate', '2026-03-14 09:26:53.589+00', 'createdDate', '2026-03-14T09:26:53.589Z'],
  ['CreatedDate', '2026-03-14 09:26:53.123456789-0330', 'createdDate', '2026-03-14T12:56:53.123Z'],
  ...['', ' ', '\n'].map(nullDate),
  ...['', ' 00:00', 'T00:00:00', 'T00:00:00Z', 'T00:00:00.0000000'].map(noDate),
  ...['T23:59:59Z', 'T05:00:00+05:00', 'T00:00:00+02:00'].map(noDate),
  noDate(' 00:00:00-0500'),
  ...['0000-00-00', '0000-00-00 00:00:00', '-0001-11-30T00:00:00.000000Z'].map(nullDate),
  ['CreatedDate', '1971-01-01', 'createdDate', '1971-01-01T00:00:00.000Z'],
  ['ModifiedDate', '', 'modifiedDate', null],
  ['CreatedBy', 7, 'createdBy', '7'],
  ...[true, 'true', 'TRUE', 'True', 1, '1'].map((value): Row => ['IsDeleted', value, 'isActive', false]),
  ...[false, 'false', 'False', 0, '0', null, '', ' '].map((value): Row => ['IsDeleted', value, 'isActive', true]),
  ...[null, '', ' '].map((value): Row => ['ShippingItems', value, 'shippingItems', []]),
  ['ShippingItems', [{ Id: null }], 'shippingItems', [mappedEmptyItem()]],
  ['ShippingItems', [{ weight: null }], 'shippingItems', [mappedEmptyItem()]],
  ['ShippingItems', [wireItem({ Quantity: '2' })], 'shippingItems', [{ ...ITEM, quantity: 2 }]],
  ['ShippingItems', [wireItem({ Weight: '' })], 'shippingItems', [{ ...ITEM, weight: null }]],
  ['ShippingItems', [wireItem({ Sku: 4711 })], 'shippingItems', [{ ...ITEM, sku: '4711' }]],
  ['ShippingItems', [wireItem({ Weight: null })], 'shippingItems', [{ ...ITEM, weight: null }]],
];

const noWeights = (...texts: string[]): MalformedRow[] =>
  weights(null, ...texts).map((row) => [...row, 'TotalWeight: text (1)']);
const noDates = (shape: string, ...texts: string[]): MalformedRow[] =>
  texts.map((text) => ['CreatedDate', text, 'createdDate', null, `CreatedDate: ${shape} (1)`]);
const noFlag = (text: string): MalformedRow => ['IsDeleted', text, 'isActive', true, 'IsDeleted: text (1)'];
const NO_QUANTITY = { ...ITEM, quantity: null };
const QUANTITY = 'ShippingItems.Quantity';

/** Values that cannot be read, or in more than one way, and the cause that names each. */
const MALFORMED: MalformedRow[] = [
  ['OrderId', -2.5, 'orderId', null, 'OrderId: number with a fraction (1)'],
  ['OrderId', UNSAFE, 'orderId', null, 'OrderId: integer beyond 2^53 (1)'],
  ['OrderId', 1e21, 'orderId', null, 'OrderId: integer beyond 2^53 (1)'],
  ['OrderId', JSON.parse('1e400'), 'orderId', null, 'OrderId: number out of range (1)'],
  ['OrderId', {}, 'orderId', null, 'OrderId: object (1)'],
  ['ShippingAddress', ['a'], 'shippingAddress', null, 'ShippingAddress: array (1)'],
  ['TrackingNumber', true, 'trackingNumber', null, 'TrackingNumber: boolean (1)'],
  ['Status', {}, 'status', 'Unknown', 'Status: object (1)'],
  ['Status', false, 'statusDescription', 'Unknown', 'Status: boolean (1)'],
  ['TotalWeight', UNSAFE, 'totalWeight', null, 'TotalWeight: integer beyond 2^53 (1)'],
  ['TotalWeight', JSON.parse('1e400'), 'totalWeight', null, 'TotalWeight: number out of range (1)'],
  ['TotalWeight', true, 'totalWeight', null, 'TotalWeight: boolean (1)'],
  ...noWeights('31.5 kg', '1,5', '1 000', '+1', '01', '1.', '.5', '0x10', '1e', 'NaN', 'Infinity', '1e400'),
  ...noWeights(' 1', '1_0', '١', '9007199254740993', '1e21', '12345678901234567.5'),
  ['CreatedDate', 1767225600, 'createdDate', null, 'CreatedDate: number (1)'],
  ['CreatedDate', ['2026-03-14'], 'createdDate', null, 'CreatedDate: array (1)'],
  ...noDates('no such day', '2026-02-30', '2026-13-01T10:00:00Z', '0000-01-01', '0000-00-01', '-0001-11-29 10:00+01'),
  ...noDates('DDDD-DD-DDADD:DD:DDA', '٢٠٢٦-٠٣-١٤T٠٩:٢٦:٥٣Z'),
  ...noDates('DDDD?DD?DD?', '２０２６年０３月１４日'.replace(/[年月]/g, '?').replace('日', '?')),
  ...noDates('9999-99-99a', '0001-01-01x', '0000-00-00x'),
  ...noDates('9999-99-99A99:99', '0001-01-01T24:00', '0000-00-00T24:00'),
  ...noDates('9999-99-99A99:99+99:99', '0001-01-02T00:00+24:00'),
  ...noDates('9999-99-99A99:99+9', '2026-03-14T09:26+2'),
  ...noDates('9999-99-99A99:99 +99:99', '2026-03-14T09:26 +02:00'),
  ...noDates('9999-99-99A99:99:99.999?AAA?', '2026-03-14T09:26:53.589[UTC]'),
  ...noDates('9999-99-99  99:99', '2026-03-14  09:26'),
  ...noDates('9999-99-99 ', '2026-03-14 '),
  ...noDates('9999-99-99 +9999', '2026-03-14 +0200'),
  ...noDates('9999-99-99-9999', '2026-03-14-0500'),
  ...noDates('9999-99-99?99:99', '2026-03-14_09:26'),
  ...noDates('9999999999', '1767225600'),
  ...noDates('/Aaaa(9999999999999)/', '/Date(1767225600000)/'),
  ...noDates('Aaaaaaa 9,9999', 'January 1, 1970'),
  ...noDates('99 Aaaa 9999', '14 Март 2026'),
  ...noDates('99/99/9999 9:99:99 AA', '03/14/2026 9:26:53 AM'),
  ...noDates(`${'9'.repeat(40)}…`, '1'.repeat(100)),
  ['CreatedBy', [], 'createdBy', null, 'CreatedBy: array (1)'],
  ...['yes', 'Y', 't', '01', '1.0', 'true ', 'false;'].map(noFlag),
  ['IsDeleted', 2, 'isActive', true, 'IsDeleted: number (1)'],
  ['IsDeleted', -1, 'isActive', true, 'IsDeleted: negative number (1)'],
  ['ModifiedDate', 'yesterday', 'modifiedDate', null, 'ModifiedDate: aaaaaaaaa (1)'],
  ['ModifiedBy', {}, 'modifiedBy', null, 'ModifiedBy: object (1)'],
  ['ShippingItems', {}, 'shippingItems', [], 'ShippingItems: object (1)'],
  ['ShippingItems', 'none', 'shippingItems', [], 'ShippingItems: text (1)'],
  ['ShippingItems', [null, 'x', wireItem()], 'shippingItems', [ITEM], 'shipping items of the wrong type (2)'],
  ['ShippingItems', [[], wireItem()], 'shippingItems', [ITEM], 'shipping items of the wrong type (1)'],
  ['ShippingItems', [{}, { a: 1 }, wireItem()], 'shippingItems', [ITEM], 'shipping items without a known field (2)'],
  ['ShippingItems', [wireItem({ Quantity: '2 pcs' })], 'shippingItems', [NO_QUANTITY], `${QUANTITY}: text (1)`],
];

describe('D13 D19 D81 one field', () => {
  function expectField([field, value, name, expected]: Row, completeness: object): void {
    const rest = name.startsWith('status') ? { status: expected, statusDescription: expected } : {};
    const body = { ...DETAIL, [name]: expected, ...rest };
    expect(inWords(toShippingDetail(soundRecord({ [field]: value })))).toEqual({ body, completeness });
  }

  it.each(READ)('%s %j gives %s %j', (...row: Row) => {
    expectField(row, COMPLETE);
  });

  it.each(MALFORMED)('%s %j gives %s %j: %s', (field, value, name, expected, cause) => {
    expectField([field, value, name, expected], partial(cause));
  });

  it.each(RECORD_FIELDS)('$upstream absent or of the wrong type gives no value', (field) => {
    const [name = ''] = Object.keys(field.upstream);
    const body = { ...DETAIL, ...absentFields(field) };
    const camelCase = name.charAt(0).toLowerCase() + name.slice(1);
    const completeness = partial(`${name}: object (1)`);
    expect(toShippingDetail(soundRecord({ [name]: undefined }))).toEqual({ body, completeness: COMPLETE });
    expect(inWords(toShippingDetail(soundRecord({ [name]: {} })))).toEqual({ body, completeness });
    const inCamelCase = soundRecord({ [name]: undefined, [camelCase]: {} });
    expect(inWords(toShippingDetail(inCamelCase))).toEqual({ body, completeness });
  });

  it.each([
    '0001-01-02T00:00:00.000Z',
    '1900-01-01T00:00:00.000Z',
    '1970-12-31T23:59:59.999Z',
    '2569-03-14T09:26:53.589Z',
  ])('D81 %s is read, and named', (date) => {
    const cause = 'CreatedDate: before 1971 or more than 50 years ahead (1)';
    expectField(['CreatedDate', date, 'createdDate', date], { level: 'complete', cause });
    const { completeness } = inWords(toShippingDetail(soundRecord({ CreatedDate: date, TotalWeight: 'x' })));
    expect(completeness).toEqual(partial(`TotalWeight: text (1), ${cause}`));
  });

  it('that the response does not show makes it no less complete', () => {
    const record = soundRecord({ CreatedBy: {}, ModifiedBy: {}, ShippingItems: 'x', Extra: {} });
    expect(toLookupItems(wireList([record])).completeness).toBe(COMPLETE);
  });

  it('D81 the cause of a partial response counts each field, ten at most', () => {
    const heavy = [{ TotalWeight: 'x' }, { TotalWeight: 'y' }, { TotalWeight: {}, CreatedDate: 7 }];
    const few = toLookupItems(wireList([...heavy, { Id: null }, { Id: '' }].map(wireRecord)));
    const cause = 'TotalWeight: text (2), TotalWeight: object (1), CreatedDate: number (1), records without an Id (2)';
    expect(inWords(few).completeness).toEqual({ ...partial(cause), dropped: 2 });
    const names = ['OrderId', 'ShippingAddress', 'TrackingNumber'];
    const kinds = [[], {}, true, 2.5];
    const many = names.flatMap((name) => kinds.map((value) => wireRecord({ [name]: value })));
    expect(toLookupItems(wireList(many)).completeness.causes).toHaveLength(10);
  });
});

describe('D81 status words that are not known', () => {
  it('hide no malformed value, however many they are', () => {
    const words = Array.from({ length: 12 }, (_, index) => wireRecord({ Status: `word ${index}` }));
    const { causes = [] } = toLookupItems(wireList([...words, wireRecord({ TotalWeight: {} })])).completeness;
    expect(causes[0]).toEqual({ field: 'TotalWeight', what: 'object', count: 1 });
  });

  const send = (...words: unknown[]) =>
    inWords(toLookupItems(wireList(words.map((Status, index) => wireRecord({ Id: `S-${index}`, Status })))));

  it('are named with their number, and make the response neither a failure nor partial', () => {
    const words = ['InTransit', 'in-transit', 'cre ated', 'lost at sea', 'canceled', 'UNKNOWN', '1'];
    const cause = words.map((word) => `Status: unknown word '${word}' (1)`).join(', ');
    const { body, completeness } = send(...words.slice(0, -1), 1, 'created');
    expect(completeness).toEqual({ level: 'complete', cause });
    expect(body).toMatchObject([...words.map(() => ({ status: 'Unknown' })), { status: 'Created' }]);
    expect(send('on hold', ' on hold').completeness).toMatchObject({ cause: "Status: unknown word 'on hold' (2)" });
  });

  it.each([[undefined], [null], [''], [' \t'], ['Delivered'], ['CANCELLED']])('does not name %j', (word) => {
    expect(send(word).completeness).toEqual(COMPLETE);
  });

  it.each(['a'.repeat(33), 'jane@example.com', 'a/b', "a'b", 'a\u001bb', 'lost: 5', 'a\nb'])('hides %j', (word) => {
    expect(send(word).completeness).toEqual({ level: 'complete', cause: 'Status: unknown text (1)' });
  });
});
