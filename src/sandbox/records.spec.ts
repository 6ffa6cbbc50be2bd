import { generateRecords } from './records';

const records = generateRecords(2_000);

describe('D28: the generated records', () => {
  it.each([1, 2, 3, 50, 2_000])('are the same each time, and the first %i of a larger set', (count) => {
    expect(generateRecords(count)).toEqual(records.slice(0, count));
  });

  it('have distinct identifiers that the service accepts', () => {
    expect(new Set(records.map(({ Id }) => Id)).size).toBe(2_000);
    for (const { Id } of records) expect(Id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  });

  it('include soft-deleted ones, unknown values, several shipments of one order, and addresses beyond ASCII', () => {
    const has = (isMeant: (record: (typeof records)[0]) => boolean): boolean => records.some(isMeant);
    expect([
      has(({ IsDeleted }) => IsDeleted),
      has(({ TrackingNumber }) => TrackingNumber === null),
      has(({ TotalWeight }) => TotalWeight === null),
      has(({ CreatedBy }) => CreatedBy === undefined),
      has(({ ShippingAddress }) => ShippingAddress.includes('東京都')),
      records.filter(({ OrderId }) => OrderId === 'ORD-000001').length === 2,
    ]).toEqual(new Array(6).fill(true));
  });

  it('hold one to many items', () => {
    const counts = records.map(({ ShippingItems }) => ShippingItems.length);
    expect([Math.min(...counts), Math.max(...counts) >= 8]).toEqual([1, true]);
  });
});
