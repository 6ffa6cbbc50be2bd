import { ShippingStatus } from '../../model/shipping-status';
import { type RecordCriteria, selectRecords } from './collected-lists';

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
