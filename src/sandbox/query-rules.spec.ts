import { sampleRecord } from '../../test/sandbox/record-samples';
import { ShippingStatus } from '../shipping/model/shipping-status';
import { QueryRules } from './query-rules';
import { generateRecords } from './records';

const RECORDS = [
  sampleRecord({ Id: 'A', ShippingAddress: 'Große Straße 1, Köln' }),
  sampleRecord({ Id: 'B', Status: 'IN_TRANSIT', OrderId: 'ORD-Ä', ShippingAddress: 'Łódź'.normalize('NFD') }),
  sampleRecord({ Id: 'C', Status: 'delivered', CreatedDate: '2025-06-02T00:00:00.000Z' }),
  sampleRecord({ Id: 'D', Status: 'on_hold', CreatedDate: '2025-06-03T00:00:00.000Z' }),
  sampleRecord({ Id: 'E', Status: undefined, CreatedDate: '2025-06-04T00:00:00.000Z' }),
  sampleRecord({ Id: 'F', Status: 'cancelled', IsDeleted: true, CreatedDate: '2025-06-05T00:00:00.000Z' }),
];
const [EXTENDED, BASIC] = [new QueryRules(RECORDS, true), new QueryRules(RECORDS.toReversed(), false)];

it.each<[filter: Parameters<QueryRules['list']>[0], extended: string, basic: string]>([
  [{}, 'EDCAB', 'FEDCAB'],
  [{ SearchTerm: 'Große' }, 'A', 'A'],
  [{ SearchTerm: 'GROSSE' }, 'A', ''],
  [{ SearchTerm: 'Ko\u0308ln' }, 'A', 'A'],
  [{ SearchTerm: 'dź' }, 'B', 'B'],
  [{ SearchTerm: 'TRK-B' }, 'B', 'B'],
  [{ SearchTerm: 'trk-b' }, 'B', ''],
  [{ SearchTerm: 'ORD-Ä' }, 'B', ''],
  [{ OrderId: 'ORD-Ä' }, 'B', 'B'],
  [{ OrderId: 'ORD-ä' }, '', ''],
  [{ Id: 'A', TrackingNumber: 'TRK-B' }, '', ''],
  [{ Status: 'InTransit' }, 'B', 'B'],
  [{ Status: 'Unknown' }, 'ED', 'ED'],
  [{ Status: 'Cancelled' }, '', 'F'],
  [{ FromDate: '2025-06-02T00:00:00.000Z', ToDate: '2025-06-03T00:00:00.000Z' }, 'DC', 'DC'],
  [{ OrderId: 'ORD-1', Status: 'Created', SearchTerm: 'TRK' }, 'A', 'A'],
])('D29 %j lists %j, and %j in the basic variant', (filter, extended, basic) => {
  for (const [rules, ids] of [[EXTENDED, extended] as const, [BASIC, basic] as const]) {
    expect(rules.list(filter).map(({ Id }) => Id)).toEqual([...ids]);
    // The lookup finds soft-deleted records in both variants.
    expect(rules.find(filter)?.Id).toBe(basic.startsWith('F') ? 'F' : ids[0]);
  }
});

it.each([
  ['CreatedDate', 'asc', 'ABCDE'],
  ['TrackingNumber', 'asc', 'ABCDE'],
  ['TrackingNumber', 'desc', 'EDCBA'],
  ['Status', 'asc', 'ACBDE'],
] as const)('D29 sorts by %s %s, then by the Id', (SortBy, SortDirection, ids) => {
  expect(EXTENDED.list({}, { SortBy, SortDirection }).map(({ Id }) => Id)).toEqual([...ids]);
});

it.each(Object.values(ShippingStatus))('D17 D29 generated records have the status %s', (Status) => {
  expect(new QueryRules(generateRecords(300), true).list({ Status })).not.toEqual([]);
});
