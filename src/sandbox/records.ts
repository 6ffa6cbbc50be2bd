import { hash } from 'node:crypto';
import samples from './sample-data.json';

/** A record as the sandbox sends it. */
export type ShippingRecord = Readonly<ReturnType<typeof makeRecord>>;

/**
 * The day before which all records were created, in seconds since 1970. It is fixed, because today's date would change
 * the records every day.
 */
const TODAY = Date.parse('2026-07-03') / 1000;
const MAX_AGE = 548 * 86_400;

/** Generates the same records each time. With a smaller `count`, they are the first of those with a larger one. */
export function generateRecords(count: number): ShippingRecord[] {
  // The records that examples and documentation name come first, so that they exist whatever the count is.
  const records: ShippingRecord[] = [...samples.firstRecords];
  while (records.length < count) records.push(makeRecord(records.length + 1));
  return records.slice(0, count);
}

/** The record with this number; each order has two. */
function makeRecord(number: number) {
  const id = `SHP-${String(number).padStart(6, '0')}`;
  const orderId = `ORD-${String(Math.ceil(number / 2)).padStart(6, '0')}`;
  // Seconds from the creation until today. A digest looks random, and is the same at each start; what two records of an
  // order have in common follows from it, and the rest from this number and that of the record.
  const age = 2 + (parseInt(hash('sha512', orderId).slice(0, 8), 16) % MAX_AGE);
  const seed = age + number;
  // `statusTexts` has frequent texts several times, some in other spellings, and a `null`, for records without a status.
  const status = pick(samples.statusTexts, seed) ?? undefined;
  // A shipment that was only created has no weight and no tracking number yet.
  const isNew = status === 'created';
  const items = Array.from({ length: 1 + (seed % 8) }, (_, index) => {
    return { Id: `${id}-${index + 1}`, ...pick(samples.products, age + index), Quantity: 1 + (index % 3) };
  });
  const grams = items.reduce((sum, { Weight, Quantity }) => sum + Math.round(Weight * 1000) * Quantity, 0);
  return {
    Id: id,
    OrderId: orderId,
    ShippingAddress: pick(samples.addresses, age).replace('{house}', String(1 + (age % 180))),
    TrackingNumber: isNew ? null : `JD0146${String(number * 48_271).padStart(11, '0')}`,
    Status: status,
    /** In kilograms, like the weight of one piece in `ShippingItems`. */
    TotalWeight: isNew ? null : grams / 1000,
    /** `YYYY-MM-DDThh:mm:ss.sssZ`, so that comparing two of these texts compares their times. */
    CreatedDate: dateOf(age),
    CreatedBy: age % 23 === 0 ? undefined : pick(samples.users, age),
    /** `YYYY-MM-DDThh:mm:ss.sss` without a zone: the service has to read such a date as UTC (D13). */
    ModifiedDate: isNew ? null : dateOf(age / 2).replace('Z', ''),
    ModifiedBy: isNew ? null : pick(samples.users, seed),
    IsDeleted: seed % 19 === 0,
    ShippingItems: items,
  };
}

function pick<T>(choices: readonly T[], number: number): T {
  return choices[number % choices.length] as T;
}

function dateOf(age: number): string {
  return new Date((TODAY - age) * 1000).toISOString();
}
