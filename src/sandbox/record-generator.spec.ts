import { generateRecords, TODAY } from './record-generator';
import { statusNameOf } from './shipping-record';

const DAY_MS = 86_400_000;
const records = [...generateRecords(2_000)];

/** How many records share each value. */
function countsOf(values: string[]): number[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()];
}

describe('D28: the generated records', () => {
  it('are the same for equal seeds', () => {
    expect([...generateRecords(300, 7)]).toEqual([...generateRecords(300, 7)]);
  });

  it('differ between seeds', () => {
    expect([...generateRecords(300, 7)]).not.toEqual([...generateRecords(300, 8)]);
  });

  it.each([1, 2, 3, 50])('are the first %i of a larger set where that many are asked for', (count) => {
    expect([...generateRecords(count)]).toEqual(records.slice(0, count));
  });

  it('begin with a record fit to be shown', () => {
    expect(records[0]).toMatchObject({
      id: 'SHP-000001',
      orderId: 'ORD-000001',
      shippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
      trackingNumber: 'JD014600003828761',
      status: 'in_transit',
      totalWeight: 2.69,
      createdDate: '2026-07-01T09:30:00.000Z',
      createdBy: 'order-import',
      modifiedDate: '2026-07-02T06:15:00.000Z',
      modifiedBy: 'warehouse-1',
      isDeleted: false,
      shippingItems: [
        { id: 'SHP-000001-1', sku: 'LM-1180', description: 'Desk lamp, brass', quantity: 1, weight: 1.92 },
        { id: 'SHP-000001-2', sku: 'BK-2041', description: 'Hardcover notebook, A5', quantity: 2, weight: 0.385 },
      ],
    });
  });

  it('have distinct identifiers that the service accepts', () => {
    expect(new Set(records.map(({ id }) => id)).size).toBe(2_000);
    for (const { id } of records) expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  });

  it('hold every status text, case variants, an unknown one and an absent one', () => {
    const texts = new Set(records.map(({ status }) => status));
    for (const text of ['created', 'in_transit', 'delivered', 'DELIVERED', 'cancelled', 'on_hold', 'returned', null]) {
      expect(texts).toContain(text);
    }
    expect(new Set(records.map(({ status }) => statusNameOf(status))).size).toBe(5);
  });

  it('include soft-deleted ones, a small share', () => {
    const deleted = records.filter(({ isDeleted }) => isDeleted).length;
    expect(deleted).toBeGreaterThan(60);
    expect(deleted).toBeLessThan(240);
  });

  it('include orders with several shipments, which share their creation and address', () => {
    expect(Math.max(...countsOf(records.map(({ orderId }) => orderId)))).toBeGreaterThanOrEqual(4);
    const shared = records.filter(({ orderId }) => orderId === 'ORD-000001');
    expect(shared).toHaveLength(2);
    expect(new Set(shared.map(({ createdDate, shippingAddress }) => createdDate + shippingAddress)).size).toBe(1);
  });

  it('include addresses beyond ASCII, in several scripts', () => {
    const addresses = records.map(({ shippingAddress }) => shippingAddress).join('\n');
    for (const sample of ['straße', 'Łódź', '東京都', 'Київ', 'Αθήνα', "O'Connell"]) {
      expect(addresses).toContain(sample);
    }
  });

  it('hold one to many items, whose weights add up to the total', () => {
    const counts = records.map(({ shippingItems }) => shippingItems.length);
    expect(Math.min(...counts)).toBe(1);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(8);
    for (const { shippingItems, totalWeight } of records) {
      const sum = shippingItems.reduce((total, { weight, quantity }) => total + weight * quantity, 0);
      if (totalWeight !== null) expect(sum).toBeCloseTo(totalWeight, 6);
    }
  });

  it.each(['trackingNumber', 'totalWeight', 'createdBy', 'status'] as const)(
    'leave %s unknown in a small share',
    (field) => {
      const unknown = records.filter((record) => record[field] === null);
      expect(unknown.length).toBeGreaterThan(10);
      expect(unknown.length).toBeLessThan(100);
      if (field === 'status' || field === 'createdBy') return;
      expect(new Set(unknown.map(({ status }) => statusNameOf(status)))).toEqual(new Set(['Created']));
    },
  );

  it('hold addresses in composed and in decomposed Unicode', () => {
    const decomposed = records.filter(({ shippingAddress }) => shippingAddress !== shippingAddress.normalize('NFC'));
    expect(decomposed.length).toBeGreaterThan(20);
    expect(decomposed.length).toBeLessThan(200);
  });

  it('have statuses that fit their age: after three weeks all are at an end', () => {
    const ageOf = (date: string): number => (Date.parse(TODAY) - Date.parse(date)) / DAY_MS;
    const oldest = new Map<string, number>();
    for (const { status, createdDate } of records) {
      const name = statusNameOf(status);
      oldest.set(name, Math.max(oldest.get(name) ?? 0, ageOf(createdDate)));
    }
    expect(oldest.get('Created')).toBeLessThan(12);
    expect(oldest.get('InTransit')).toBeLessThan(21);
    expect(oldest.get('Delivered')).toBeGreaterThan(300);
    expect(Math.min(...records.map(({ createdDate }) => ageOf(createdDate)))).toBeGreaterThan(0);
  });

  it('have identifiers that are not in the order of their dates', () => {
    const newest = records.toSorted((one, other) => (one.createdDate < other.createdDate ? 1 : -1)).slice(0, 20);
    const numbers = newest.map(({ id }) => Number(id.slice(4)));
    expect(Math.min(...numbers)).toBeGreaterThan(2);
    expect(numbers).not.toEqual(numbers.toSorted((one, other) => one - other));
    expect(numbers).not.toEqual(numbers.toSorted((one, other) => other - one));
  });

  it('carry audit fields: changed ones after their creation, by someone; others by nobody', () => {
    const changed = records.filter(({ modifiedDate }) => modifiedDate !== null);
    expect(changed.length).toBeGreaterThan(1_000);
    expect(changed.length).toBeLessThan(2_000);
    for (const { createdDate, modifiedDate, modifiedBy } of records) {
      expect(createdDate).toMatch(/^202[56]-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      expect(modifiedBy === null).toBe(modifiedDate === null);
      if (modifiedDate !== null) expect(modifiedDate > createdDate && modifiedDate < TODAY).toBe(true);
    }
  });
});
