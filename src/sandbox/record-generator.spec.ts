import { createHash } from 'node:crypto';
import { generateRecords } from './record-generator';

const TODAY = '2026-07-03';
const records = generateRecords(2_000);

function share(isCounted: (record: (typeof records)[0]) => boolean): number {
  return records.filter(isCounted).length / records.length;
}

describe('D28: the generated records', () => {
  it('are the same each time', () => {
    expect(createHash('sha256').update(JSON.stringify(records)).digest('hex')).toBe(
      'c53be85c6e04100ccfbd45e9631139848220f21970703adc314ddcc0a40b7336',
    );
  });

  it.each([1, 2, 3, 50])('are the first %i of a larger set where that many are asked for', (count) => {
    expect(generateRecords(count)).toEqual(records.slice(0, count));
  });

  it('have distinct identifiers that the service accepts', () => {
    expect(new Set(records.map(({ Id }) => Id)).size).toBe(2_000);
    for (const { Id } of records) expect(Id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  });

  it.each(['created', 'in_transit', 'delivered', 'DELIVERED', 'cancelled', 'on_hold', 'returned', undefined])(
    'have the status text %s among others',
    (text) => {
      expect(records.map(({ Status }) => Status)).toContain(text);
    },
  );

  it('include a small share of soft-deleted ones, and of unknown values', () => {
    const shares = [
      share(({ IsDeleted }) => IsDeleted),
      share(({ TrackingNumber }) => TrackingNumber === null),
      share(({ TotalWeight }) => TotalWeight === null),
      share(({ CreatedBy }) => CreatedBy === undefined),
    ];
    for (const each of shares) expect(each > 0.005 && each < 0.12).toBe(true);
  });

  it('include several shipments of one order, which share creation and address', () => {
    const shared = records.filter(({ OrderId }) => OrderId === 'ORD-000001');
    expect(shared).toHaveLength(2);
    expect(new Set(shared.map(({ CreatedDate, ShippingAddress }) => CreatedDate + ShippingAddress)).size).toBe(1);
  });

  it.each(['straße', 'Łódź', '東京都', 'Київ', 'Αθήνα', "O'Connell"])('include an address with %s', (sample) => {
    expect(records.some(({ ShippingAddress }) => ShippingAddress.includes(sample))).toBe(true);
  });

  it('hold one to many items, whose weights add up to the total', () => {
    const counts = records.map(({ ShippingItems }) => ShippingItems.length);
    expect([Math.min(...counts), Math.max(...counts) >= 8]).toEqual([1, true]);
    for (const { ShippingItems, TotalWeight } of records) {
      const sum = ShippingItems.reduce((total, { Weight, Quantity }) => total + Weight * Quantity, 0);
      if (TotalWeight !== null) expect(sum).toBeCloseTo(TotalWeight, 6);
    }
  });

  it('are all dated before today, changes after the creation', () => {
    for (const { CreatedDate, ModifiedDate } of records) {
      expect(CreatedDate < TODAY).toBe(true);
      if (ModifiedDate !== null) expect(ModifiedDate > CreatedDate && ModifiedDate < TODAY).toBe(true);
    }
  });
});
