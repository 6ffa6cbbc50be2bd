/** A record as the sandbox sends it. */
export interface ShippingRecord {
  readonly Id: string;
  readonly OrderId: string;
  readonly ShippingAddress: string;
  readonly TrackingNumber: string | null;
  readonly Status: string | undefined;
  /** In kilograms, like the weight of one piece in `ShippingItems`. */
  readonly TotalWeight: number | null;
  /** `YYYY-MM-DDThh:mm:ss.sssZ`, so that text order is time order. */
  readonly CreatedDate: string;
  readonly CreatedBy: string | undefined;
  /** `YYYY-MM-DDThh:mm:ss.sss` without a zone, which means UTC (D13). */
  readonly ModifiedDate: string | null;
  readonly ModifiedBy: string | null;
  readonly IsDeleted: boolean;
  readonly ShippingItems: readonly { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

/** A record as the lists send it: without its items. */
export const toSummary = (record: ShippingRecord): object => ({ ...record, ShippingItems: undefined });

const ADDRESSES: readonly string[] = [
  'Friedrichstraße {house}, 10117 Berlin, Germany',
  'Schönhauser Allee {house}, 10437 Berlin, Germany',
  'Türkenstraße {house}, 80331 München, Germany',
  'Mariahilfer Straße {house}, 1070 Wien, Austria',
  'ul. Świętokrzyska {house}, 00-116 Warszawa, Poland',
  'ul. Piotrkowska {house}, 90-001 Łódź, Poland',
  'Calle de Alcalá {house}, 28014 Madrid, España',
  'Avenida São João {house}, 01305-000 São Paulo, Brasil',
  'Nørrebrogade {house}, 2200 København, Danmark',
  'Ερμού {house}, 105 63 Αθήνα, Ελλάδα',
  'вул. Хрещатик {house}, 01001 Київ, Україна',
  'İstiklal Caddesi {house}, 34433 İstanbul, Türkiye',
  '{house} rue Saint-Honoré, 75001 Paris, France',
  "{house} O'Connell Street, Dublin 1, Ireland",
  '{house} Market Street, San Francisco, CA 94103, USA',
  '〒104-0061 東京都中央区銀座{house}',
];

const PRODUCTS: readonly { Sku: string; Description: string; Weight: number }[] = [
  { Sku: 'BK-2041', Description: 'Hardcover notebook, A5', Weight: 0.385 },
  { Sku: 'LM-1180', Description: 'Desk lamp, brass', Weight: 1.92 },
  { Sku: 'CH-7702', Description: 'Office chair', Weight: 14.6 },
  { Sku: 'TE-0100', Description: 'Grüner Tee, 100 g', Weight: 0.132 },
  { Sku: 'CB-0015', Description: 'USB-C cable, 2 m', Weight: 0.06 },
  { Sku: 'TW-0330', Description: '手ぬぐい', Weight: 0.045 },
];

const USERS: readonly string[] = ['system', 'order-import', 'warehouse-1', 'a.kowalska', 'j.müller'];

/** Texts of the status, as random records pick them: frequent ones stand here twice, in several spellings. */
const STATUS_TEXTS: readonly (string | undefined)[] = [
  ...['created', 'in_transit', 'in_transit', 'In_Transit', 'delivered', 'delivered', 'DELIVERED', 'cancelled'],
  ...['on_hold', 'returned', undefined],
];

const FIRST: ShippingRecord = {
  Id: 'SHP-000001',
  OrderId: 'ORD-000001',
  ShippingAddress: 'Friedrichstraße 43, 10117 Berlin, Germany',
  TrackingNumber: 'JD014600003828761',
  Status: 'in_transit',
  TotalWeight: 2.69,
  CreatedDate: '2026-07-01T09:30:00.000Z',
  CreatedBy: 'order-import',
  ModifiedDate: '2026-07-02T06:15:00.000',
  ModifiedBy: 'warehouse-1',
  IsDeleted: false,
  ShippingItems: [
    { Id: 'SHP-000001-1', Sku: 'LM-1180', Description: 'Desk lamp, brass', Quantity: 1, Weight: 1.92 },
    { Id: 'SHP-000001-2', Sku: 'BK-2041', Description: 'Hardcover notebook, A5', Quantity: 2, Weight: 0.385 },
  ],
};

export const FIRST_RECORDS: readonly ShippingRecord[] = [
  FIRST,
  {
    ...FIRST,
    Id: 'SHP-000002',
    TrackingNumber: 'JD014600003828778',
    Status: 'created',
    TotalWeight: 14.6,
    ModifiedDate: null,
    ModifiedBy: null,
    ShippingItems: [{ Id: 'SHP-000002-1', Sku: 'CH-7702', Description: 'Office chair', Quantity: 1, Weight: 14.6 }],
  },
];

/** The day on which all records end, in seconds since 1970. It is fixed, so that the records are the same every day. */
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

/** Generates the same records each time; a smaller number gives the beginning of a larger one. */
export function generateRecords(count: number): ShippingRecord[] {
  const random = new Random();
  const records = [...FIRST_RECORDS];
  for (let orderNumber = 2; records.length < count; orderNumber += 1) {
    const age = random.between(2, MAX_AGE);
    const order = {
      OrderId: `ORD-${padded(orderNumber, 6)}`,
      ShippingAddress: random.pick(ADDRESSES).replace('{house}', String(random.between(1, 180))),
      CreatedDate: dateOf(age),
      CreatedBy: random.next() < 0.05 ? undefined : random.pick(USERS),
    };
    const last = records.length + (random.next() < 0.6 ? 1 : random.between(2, 4));
    while (records.length < last) records.push(makeRecord(random, order, age, records.length + 1));
  }
  return records.slice(0, count);
}

function makeRecord(random: Random, order: Order, age: number, recordNumber: number): ShippingRecord {
  const id = `SHP-${padded(recordNumber, 6)}`;
  const status = random.pick(STATUS_TEXTS);
  const isNew = status === 'created';
  const items = makeItems(random, id);
  const grams = items.reduce((sum, { Weight, Quantity }) => sum + Math.round(Weight * 1000) * Quantity, 0);
  // The order of these fields is that of the JSON and of the random numbers: another order would make other records.
  return {
    Id: id,
    OrderId: order.OrderId,
    ShippingAddress: order.ShippingAddress,
    TrackingNumber: isNew && random.next() < 0.6 ? null : `JD0146${padded(random.between(0, 999_999_999), 11)}`,
    Status: status,
    TotalWeight: isNew && random.next() < 0.3 ? null : grams / 1000,
    CreatedDate: order.CreatedDate,
    CreatedBy: order.CreatedBy,
    ModifiedDate: isNew ? null : dateOf(random.between(1, age - 1)).replace('Z', ''),
    ModifiedBy: isNew ? null : random.pick(USERS),
    IsDeleted: random.next() < 0.06,
    ShippingItems: items,
  };
}

function makeItems(random: Random, recordId: string): ShippingRecord['ShippingItems'] {
  return Array.from({ length: random.between(1, 8) }, (_, index) => {
    return { Id: `${recordId}-${index + 1}`, ...random.pick(PRODUCTS), Quantity: random.between(1, 3) };
  });
}

function dateOf(age: number): string {
  return new Date((TODAY - age) * 1000).toISOString();
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
