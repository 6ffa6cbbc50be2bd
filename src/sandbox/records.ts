import samples from './sample-data.json';

/** A record as the sandbox sends it. */
export interface ShippingRecord {
  readonly Id: string;
  readonly OrderId: string;
  readonly ShippingAddress: string;
  readonly TrackingNumber: string | null;
  readonly Status: string | undefined;
  /** In kilograms, like the weight of one piece in `ShippingItems`. */
  readonly TotalWeight: number | null;
  /** `YYYY-MM-DDThh:mm:ss.sssZ`, so that comparing two of these texts compares their times. */
  readonly CreatedDate: string;
  readonly CreatedBy: string | undefined;
  /** `YYYY-MM-DDThh:mm:ss.sss` without a zone: the service has to read such a date as UTC (D13). */
  readonly ModifiedDate: string | null;
  readonly ModifiedBy: string | null;
  readonly IsDeleted: boolean;
  readonly ShippingItems: readonly { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

/**
 * The day before which all records were created, in seconds since 1970. It is fixed, because today's date would change
 * the records every day.
 */
const TODAY = Date.parse('2026-07-03') / 1000;
const MAX_AGE = 548 * 86_400;

/** A pseudo-random generator (MINSTD) with a fixed seed, so that every start generates the same records. */
class Random {
  private state = 20_250_101;

  next(): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state / 2_147_483_647;
  }

  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}

type Order = Pick<ShippingRecord, 'OrderId' | 'ShippingAddress' | 'CreatedDate' | 'CreatedBy'>;

/** Generates the same records each time. With a smaller `count`, they are the first of those with a larger one. */
export function generateRecords(count: number): ShippingRecord[] {
  const random = new Random();
  // The records that examples and documentation name come first, so that they exist whatever the count is.
  const records: ShippingRecord[] = [...samples.firstRecords];
  for (let orderNumber = 2; records.length < count; orderNumber += 1) {
    const age = random.between(2, MAX_AGE);
    const order = {
      OrderId: `ORD-${String(orderNumber).padStart(6, '0')}`,
      ShippingAddress: random.pick(samples.addresses).replace('{house}', String(random.between(1, 180))),
      CreatedDate: dateOf(age),
      CreatedBy: random.next() < 0.05 ? undefined : random.pick(samples.users),
    };
    const last = records.length + (random.next() < 0.6 ? 1 : random.between(2, 4));
    while (records.length < last) records.push(makeRecord(random, order, age, records.length + 1));
  }
  return records.slice(0, count);
}

function makeRecord(random: Random, order: Order, age: number, recordNumber: number): ShippingRecord {
  const id = `SHP-${String(recordNumber).padStart(6, '0')}`;
  // `statusTexts` has frequent texts twice or in two spellings, and a `null`, for records without a status.
  const status = random.pick(samples.statusTexts) ?? undefined;
  const isNew = status === 'created';
  const items = Array.from({ length: random.between(1, 8) }, (_, index) => {
    return { Id: `${id}-${index + 1}`, ...random.pick(samples.products), Quantity: random.between(1, 3) };
  });
  const grams = items.reduce((sum, { Weight, Quantity }) => sum + Math.round(Weight * 1000) * Quantity, 0);
  // The fields draw random numbers in this order; in another order, the records would be others.
  return {
    Id: id,
    ...order,
    TrackingNumber:
      isNew && random.next() < 0.6 ? null : `JD0146${String(random.between(0, 999_999_999)).padStart(11, '0')}`,
    Status: status,
    TotalWeight: isNew && random.next() < 0.3 ? null : grams / 1000,
    ModifiedDate: isNew ? null : dateOf(random.between(1, age - 1)).replace('Z', ''),
    ModifiedBy: isNew ? null : random.pick(samples.users),
    IsDeleted: random.next() < 0.06,
    ShippingItems: items,
  };
}

function dateOf(age: number): string {
  return new Date((TODAY - age) * 1000).toISOString();
}
