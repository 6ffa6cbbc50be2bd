import { ShippingStatus } from '../../model/shipping-status';
import { collect, type RecordCriteria, selectRecords } from './collected-lists';
import type { UpstreamTarget } from './shipping-protocol';

const OLD = { Id: 'OLD', OrderId: 'ORD-1', TrackingNumber: 'TRK-1', Status: 'pending', CreatedDate: '2026-01-01' };
const NEW = { Id: 'NEW', OrderId: 'ORD-2', ShippingAddress: 'Main Street', CreatedDate: '2026-03-01' };
/** The date of this record is not known. */
const UNDATED = { Id: 'UNDATED', Status: 'in_transit' };
const NO_RECORD = 'no record';
const MIDDLE = new Date('2026-02-01');

describe('selectRecords', () => {
  it.each<[string, RecordCriteria, string[]]>([
    ['no criterion: the newest first, of unknown date last', {}, ['NEW', 'OLD', 'UNDATED']],
    ['from a date', { FromDate: MIDDLE }, ['NEW']],
    ['to a date', { ToDate: MIDDLE }, ['OLD']],
    ['from and to the date of a record', { FromDate: new Date(OLD.CreatedDate), ToDate: MIDDLE }, ['OLD']],
    ['an order', { OrderId: 'ORD-1' }, ['OLD']],
    ['a part of a tracking number, in other case', { SearchTerm: 'trk' }, ['OLD']],
    ['a part of an address', { SearchTerm: 'main' }, ['NEW']],
    ['a status', { Status: ShippingStatus.InTransit }, ['UNDATED']],
    ['an identifier', { Id: 'NEW' }, ['NEW']],
    ['two criteria', { Id: 'NEW', OrderId: 'ORD-1' }, []],
  ])('%s', (_, criteria, expected) => {
    expect(selectRecords([UNDATED, OLD, NEW], criteria).map(({ Id }) => Id)).toEqual(expected);
  });

  it('keeps what is no record, so that it is counted as dropped', () => {
    expect(selectRecords([NO_RECORD, OLD], { Id: 'OLD' })).toEqual([OLD, NO_RECORD]);
  });

  it('equally new ones come by identifier', () => {
    const same = ['B', 'A', 'C'].map((Id) => ({ Id, CreatedDate: OLD.CreatedDate }));
    expect(selectRecords(same, {}).map(({ Id }) => Id)).toEqual(['A', 'B', 'C']);
  });
});

describe('D36 collect reads a list in parts', () => {
  /** Two parts with two items each, and one with the last of them. */
  const PARTS: Readonly<Record<string, { items: number[]; next?: UpstreamTarget }>> = {
    '/a': { items: [1, 2], next: { path: '/b' } },
    '/b': { items: [3, 4], next: { path: '/c' } },
    '/c': { items: [5] },
  };
  const send = jest.fn(({ path }: UpstreamTarget) => Promise.resolve({ status: 200, headers: {}, data: PARTS[path] }));
  const list = (options: Parameters<typeof collect>[3]): Promise<unknown[]> =>
    collect(send, { path: '/a' }, ({ data }) => data as { items: number[]; next: undefined }, options);

  it.each([
    ['to its end', { maxRequests: 3 }, [1, 2, 3, 4, 5], 3],
    ['until there are enough', { maxRequests: 3, enough: 4 }, [1, 2, 3, 4], 2],
    ['and no more than enough', { maxRequests: 1, enough: 1 }, [1], 1],
  ])('%s', async (_, options, expected, requests) => {
    send.mockClear();
    expect(await list(options)).toEqual(expected);
    expect(send.mock.calls.map(([{ path }]) => path)).toEqual(Object.keys(PARTS).slice(0, requests));
  });

  it('up to a bound, beyond which it fails', async () => {
    const causes = [{ what: 'the list needs more than 2 requests' }];
    await expect(list({ maxRequests: 2 })).rejects.toMatchObject({ reason: 'internal', causes });
  });
});
