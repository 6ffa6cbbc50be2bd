import type { ShippingItem, ShippingRecord } from './shipping-record';
import { PLACES, PRODUCTS, STATUSES_BY_AGE, USERS } from './vocabulary';

/** The day before which all records are dated; the documentation shows the records of this day. */
export const TODAY = '2026-07-03';

const DEFAULT_SEED = 20_250_101;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** The oldest record is eighteen months old. */
const MAX_AGE = 548 * DAY;
/** The longest time from the creation of a shipment to its last change. */
const MAX_DELAY = 12 * DAY;

/** A source of repeatable random numbers: equal seeds give equal sequences. */
class Random {
  constructor(private state: number) {}

  /** A number of at least 0 and below 1 (the mulberry32 generator). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the choices, each equally likely. */
  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}

/** What the shipments of one order have in common: they leave together, for one address. */
type OrderFields = Pick<ShippingRecord, 'orderId' | 'shippingAddress' | 'createdDate' | 'createdBy'>;

interface Order {
  fields: OrderFields;
  /** Milliseconds from the creation to the beginning of today. */
  age: number;
}

/**
 * Yields that many shipments, one after another. Equal seeds yield equal records, and a smaller count yields the
 * beginning of a larger one. The first order is written by hand and the same for every seed. All dates are relative to
 * {@link TODAY}, and before it; the order of the identifiers is not that of the dates.
 */
export function* generateRecords(count: number, seed = DEFAULT_SEED): Generator<ShippingRecord, void> {
  const random = new Random(seed);
  const endTime = Date.parse(TODAY);
  const first = firstRecords(endTime);
  yield* first.slice(0, count);
  let made = first.length;
  for (let orderNumber = 2; made < count; orderNumber += 1) {
    const order = makeOrder(random, orderNumber, endTime);
    const shipments = random.chance(0.6) ? 1 : random.between(2, 4);
    for (let shipment = 0; shipment < shipments && made < count; shipment += 1) {
      made += 1;
      yield makeRecord(random, order, made);
    }
  }
}

function firstRecords(endTime: number): ShippingRecord[] {
  const order: OrderFields = {
    orderId: 'ORD-000001',
    shippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
    createdDate: dateText(endTime - 38.5 * HOUR),
    createdBy: 'order-import',
  };
  return [
    {
      ...order,
      id: 'SHP-000001',
      trackingNumber: 'JD014600003828761',
      status: 'in_transit',
      totalWeight: 2.69,
      modifiedDate: dateText(endTime - 17.75 * HOUR),
      modifiedBy: 'warehouse-1',
      isDeleted: false,
      shippingItems: [
        { id: 'SHP-000001-1', sku: 'LM-1180', description: 'Desk lamp, brass', quantity: 1, weight: 1.92 },
        { id: 'SHP-000001-2', sku: 'BK-2041', description: 'Hardcover notebook, A5', quantity: 2, weight: 0.385 },
      ],
    },
    {
      ...order,
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
}

function makeOrder(random: Random, orderNumber: number, endTime: number): Order {
  const place = random.pick(PLACES);
  const age = makeAge(random);
  const shippingAddress = place.format(random.pick(place.streets), random.between(1, 180), random.between(1, 20));
  const isMigrated = age > 365 * DAY && random.chance(0.15);
  return {
    age,
    fields: {
      orderId: `ORD-${numberText(orderNumber)}`,
      // Some systems write a letter with an accent as two characters.
      shippingAddress: random.chance(0.08) ? shippingAddress.normalize('NFD') : shippingAddress,
      createdDate: dateText(endTime - age),
      createdBy: isMigrated ? null : random.pick(USERS),
    },
  };
}

/** Whole seconds in milliseconds; recent orders are more common than old ones. */
function makeAge(random: Random): number {
  const share = random.next();
  return 2 * SECOND + Math.floor((share * Math.sqrt(share) * MAX_AGE) / SECOND) * SECOND;
}

function makeRecord(random: Random, order: Order, recordNumber: number): ShippingRecord {
  const id = `SHP-${numberText(recordNumber)}`;
  const status = random.pick(textsAt(order.age));
  const isNew = status?.toLowerCase() === 'created';
  const shippingItems = makeItems(random, id);
  const grams = shippingItems.reduce((sum, item) => sum + Math.round(item.weight * 1000) * item.quantity, 0);
  return {
    id,
    ...order.fields,
    trackingNumber: isNew && random.chance(0.6) ? null : makeTrackingNumber(random),
    status,
    totalWeight: isNew && random.chance(0.3) ? null : grams / 1000,
    ...(isNew || status === null ? UNCHANGED : makeChange(random, order)),
    isDeleted: random.chance(0.06),
    shippingItems,
  };
}

type Change = Pick<ShippingRecord, 'modifiedDate' | 'modifiedBy'>;

const UNCHANGED: Change = { modifiedDate: null, modifiedBy: null };

function textsAt(age: number): (typeof STATUSES_BY_AGE)[0]['texts'] {
  return (STATUSES_BY_AGE.find(({ maxDays }) => age <= maxDays * DAY) ?? STATUSES_BY_AGE[0]).texts;
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

/** After the creation, and before today. */
function makeChange(random: Random, { fields, age }: Order): Change {
  const seconds = Math.min(age, MAX_DELAY) / SECOND;
  const delay = random.between(1, seconds - 1) * SECOND;
  return { modifiedDate: dateText(Date.parse(fields.createdDate) + delay), modifiedBy: random.pick(USERS) };
}

function dateText(time: number): string {
  return new Date(time).toISOString();
}

function numberText(value: number): string {
  return String(value).padStart(6, '0');
}
