import { FIRST_RECORDS, PLACES, PRODUCTS, STATUSES, USERS, type ShippingRecord } from './records';

/** All records are dated before it. */
const TODAY = Date.parse('2026-07-03');
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const MAX_AGE = 548 * DAY;

/** The mulberry32 generator: the same numbers each time. */
class Random {
  private state = 20_250_101;

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}

type Order = Pick<ShippingRecord, 'OrderId' | 'ShippingAddress' | 'CreatedDate' | 'CreatedBy'>;

/** Generates the same records each time; fewer are the beginning of more. */
export function generateRecords(count: number): ShippingRecord[] {
  const random = new Random();
  const records = [...FIRST_RECORDS];
  for (let orderNumber = 2; records.length < count; orderNumber += 1) {
    const order = makeOrder(random, orderNumber);
    const last = records.length + (random.next() < 0.6 ? 1 : random.between(2, 4));
    while (records.length < last) records.push(makeRecord(random, order, records.length + 1));
  }
  return records.slice(0, count);
}

function makeOrder(random: Random, orderNumber: number): Order {
  const [format, ...streets] = random.pick(PLACES);
  // Whole seconds; recent orders are more common than old ones.
  const age = 2 * SECOND + Math.floor((random.next() ** 1.5 * MAX_AGE) / SECOND) * SECOND;
  const address = format
    .replace('{street}', random.pick(streets))
    .replace('{house}', String(random.between(1, 180)))
    .replace('{unit}', String(random.between(1, 20)));
  const isMigrated = age > 365 * DAY && random.next() < 0.15;
  return {
    OrderId: `ORD-${String(orderNumber).padStart(6, '0')}`,
    ShippingAddress: random.next() < 0.08 ? address.normalize('NFD') : address,
    CreatedDate: new Date(TODAY - age).toISOString(),
    CreatedBy: isMigrated ? undefined : random.pick(USERS),
  };
}

function makeRecord(random: Random, order: Order, recordNumber: number): ShippingRecord {
  const id = `SHP-${String(recordNumber).padStart(6, '0')}`;
  const age = TODAY - Date.parse(order.CreatedDate);
  const status = random.pick(STATUSES.find(({ maxDays }) => age <= maxDays * DAY)?.texts ?? []);
  const isNew = status?.toLowerCase() === 'created';
  const items = makeItems(random, id);
  const grams = items.reduce((sum, { Weight, Quantity }) => sum + Math.round(Weight * 1000) * Quantity, 0);
  const isChanged = !isNew && status !== undefined;
  // In the order of the JSON, and of the random numbers.
  return {
    Id: id,
    OrderId: order.OrderId,
    ShippingAddress: order.ShippingAddress,
    TrackingNumber: isNew && random.next() < 0.6 ? null : makeTrackingNumber(random),
    Status: status,
    TotalWeight: isNew && random.next() < 0.3 ? null : grams / 1000,
    CreatedDate: order.CreatedDate,
    CreatedBy: order.CreatedBy,
    ModifiedDate: isChanged ? makeChangeDate(random, age) : null,
    ModifiedBy: isChanged ? random.pick(USERS) : null,
    IsDeleted: random.next() < 0.06,
    ShippingItems: items,
  };
}

function makeItems(random: Random, recordId: string): ShippingRecord['ShippingItems'] {
  const count = random.next() < 0.05 ? random.between(8, 20) : random.between(1, 4);
  return Array.from({ length: count }, (_, index) => {
    const { sku, description, weight } = random.pick(PRODUCTS);
    const quantity = random.next() < 0.7 ? 1 : random.between(2, 6);
    return { Id: `${recordId}-${index + 1}`, Sku: sku, Description: description, Quantity: quantity, Weight: weight };
  });
}

function makeTrackingNumber(random: Random): string {
  const carrier = random.pick(['1Z', 'JD', 'RR']);
  const letters = carrier === '1Z' ? random.between(0, 36 ** 6 - 1).toString(36) : '';
  const digits = String(random.between(0, 10 ** 9 - 1)).padStart(9, '0');
  if (carrier === '1Z') return `1Z${letters.toUpperCase().padStart(6, '0')}${digits}`;
  return carrier === 'JD' ? `JD0146${digits}` : `RR${digits}${random.pick(['DE', 'PL', 'JP'])}`;
}

function makeChangeDate(random: Random, age: number): string {
  const delay = random.between(1, Math.min(age, 12 * DAY) / SECOND - 1) * SECOND;
  return new Date(TODAY - age + delay).toISOString().replace('Z', '');
}
