import { Random } from './random';
import type { ShippingItem, ShippingRecord } from './shipping-record';
import { PLACES, PRODUCTS, STATUS_TEXTS, USERS } from './vocabulary';

const DEFAULT_SEED = 20_250_101;
const FIRST_DAY = Date.UTC(2025, 0, 1);
const LAST_DAY = Date.UTC(2026, 5, 30);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** What the shipments of one order have in common: they leave together, for one address. */
type Order = Pick<ShippingRecord, 'orderId' | 'shippingAddress' | 'createdDate' | 'createdBy'>;

/**
 * Yields that many shipments, one after another. Equal seeds yield equal records, and a smaller count yields the
 * beginning of a larger one. The first order is written by hand and the same for every seed.
 */
export function* generateRecords(count: number, seed = DEFAULT_SEED): Generator<ShippingRecord, void> {
  const random = new Random(seed);
  yield* FIRST_RECORDS.slice(0, count);
  let made = FIRST_RECORDS.length;
  for (let orderNumber = 2; made < count; orderNumber += 1) {
    const order = makeOrder(random, orderNumber);
    const shipments = random.chance(0.6) ? 1 : random.between(2, 4);
    for (let shipment = 0; shipment < shipments && made < count; shipment += 1) {
      made += 1;
      yield makeRecord(random, order, made);
    }
  }
}

const FIRST_ORDER: Order = {
  orderId: 'ORD-000001',
  shippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
  createdDate: '2026-07-01T09:30:00.000Z',
  createdBy: 'order-import',
};

const FIRST_RECORDS: ShippingRecord[] = [
  {
    ...FIRST_ORDER,
    id: 'SHP-000001',
    trackingNumber: 'JD014600003828761',
    status: 'in_transit',
    totalWeight: 2.69,
    modifiedDate: '2026-07-02T06:15:00.000Z',
    modifiedBy: 'warehouse-1',
    isDeleted: false,
    shippingItems: [
      { id: 'SHP-000001-1', sku: 'LM-1180', description: 'Desk lamp, brass', quantity: 1, weight: 1.92 },
      { id: 'SHP-000001-2', sku: 'BK-2041', description: 'Hardcover notebook, A5', quantity: 2, weight: 0.385 },
    ],
  },
  {
    ...FIRST_ORDER,
    id: 'SHP-000002',
    trackingNumber: 'JD014600003828778',
    status: 'created',
    totalWeight: 14.6,
    modifiedDate: null,
    modifiedBy: null,
    isDeleted: false,
    shippingItems: [{ id: 'SHP-000002-1', sku: 'CH-7702', description: 'Office chair', quantity: 1, weight: 14.6 }],
  },
];

function makeOrder(random: Random, orderNumber: number): Order {
  const place = random.pick(PLACES);
  const created = FIRST_DAY + Math.floor((random.next() * (LAST_DAY - FIRST_DAY)) / SECOND) * SECOND;
  return {
    orderId: `ORD-${numberText(orderNumber)}`,
    shippingAddress: place.format(random.pick(place.streets), random.between(1, 180), random.between(1, 20)),
    createdDate: new Date(created).toISOString(),
    createdBy: random.pick(USERS),
  };
}

function makeRecord(random: Random, order: Order, recordNumber: number): ShippingRecord {
  const id = `SHP-${numberText(recordNumber)}`;
  const shippingItems = makeItems(random, id);
  const grams = shippingItems.reduce((sum, item) => sum + Math.round(item.weight * 1000) * item.quantity, 0);
  return {
    id,
    ...order,
    trackingNumber: makeTrackingNumber(random),
    status: random.pick(STATUS_TEXTS),
    totalWeight: grams / 1000,
    ...makeModification(random, order.createdDate),
    isDeleted: random.chance(0.06),
    shippingItems,
  };
}

function makeItems(random: Random, recordId: string): ShippingItem[] {
  const count = random.chance(0.05) ? random.between(8, 20) : random.between(1, 4);
  return Array.from({ length: count }, (_, index) => ({
    id: `${recordId}-${index + 1}`,
    ...random.pick(PRODUCTS),
    quantity: random.chance(0.7) ? 1 : random.between(2, 6),
  }));
}

function makeTrackingNumber(random: Random): string {
  const digits = (length: number): string => String(random.between(0, 10 ** length - 1)).padStart(length, '0');
  const carrier = random.pick(['1Z', 'JD', 'RR'] as const);
  if (carrier === '1Z')
    return `1Z${random
      .between(0, 36 ** 6 - 1)
      .toString(36)
      .toUpperCase()
      .padStart(6, '0')}${digits(9)}`;
  return carrier === 'JD' ? `JD0146${digits(9)}` : `RR${digits(9)}${random.pick(['DE', 'PL', 'JP'])}`;
}

function makeModification(random: Random, createdDate: string): Pick<ShippingRecord, 'modifiedDate' | 'modifiedBy'> {
  if (random.chance(0.35)) return { modifiedDate: null, modifiedBy: null };
  const delay = Math.floor((HOUR + random.next() * 20 * DAY) / SECOND) * SECOND;
  return { modifiedDate: new Date(Date.parse(createdDate) + delay).toISOString(), modifiedBy: random.pick(USERS) };
}

function numberText(value: number): string {
  return String(value).padStart(6, '0');
}
