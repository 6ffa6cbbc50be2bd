import { QUERIED_RECORDS } from '../../test/sandbox/record-samples';
import { ShippingStatus } from '../shipping/model/shipping-status';
import { QueryRules } from './query-rules';
import { generateRecords } from './records';

const [EXTENDED, BASIC] = [new QueryRules(QUERIED_RECORDS, true), new QueryRules(QUERIED_RECORDS.toReversed(), false)];

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
