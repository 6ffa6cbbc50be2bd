import fc from 'fast-check';
import { SANDBOX_VARIANTS, type SandboxVariant } from '../../src/config/sandbox.settings';
import { STATUS_NAMES, type ShippingRecord } from '../../src/sandbox/shipping-record';
import {
  ShippingRepository,
  type ListFilter,
  type PageCriteria,
  type SingleCriteria,
} from '../../src/sandbox/shipping.repository';
import { sampleRecord } from './record-samples';

// Letters in pairs that differ in case or composition only, what SQL and its LIKE treat specially, and letters without case.
const LETTERS = [
  'a',
  'A',
  'ä',
  'a\u0308',
  'Ä',
  'ż',
  'Ż',
  'Σ',
  'σ',
  'ς',
  'д',
  'Д',
  '京',
  '1',
  ' ',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '*',
];
const STATUS_OF_TEXT = new Map([
  ['created', 'Created'],
  ['CREATED', 'Created'],
  ['in_transit', 'InTransit'],
  ['delivered', 'Delivered'],
  ['DELIVERED', 'Delivered'],
  ['cancelled', 'Cancelled'],
]);

const text = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 4 }).map((letters) => letters.join(''));
const date = fc.constantFrom('2025-01-01T00:00:00.000Z', '2025-06-01T12:00:00.000Z', '2025-06-01T12:00:00.001Z');
const order = fc.constantFrom('ORD-1', 'ORD-2', 'äΣ');
const tracking = fc.option(fc.oneof(fc.constantFrom('T1', 't1'), text), { freq: 5 });
const record = fc.record({
  id: fc.string({ unit: fc.constantFrom('a', 'B', '1', '.'), minLength: 1, maxLength: 3 }),
  orderId: order,
  shippingAddress: text,
  trackingNumber: tracking,
  status: fc.option(fc.constantFrom('on_hold', ...STATUS_OF_TEXT.keys())),
  createdDate: date,
  isDeleted: fc.boolean(),
});
const records = fc
  .uniqueArray(record, { selector: ({ id }) => id, maxLength: 25 })
  .map((made) => made.map((fields) => sampleRecord(fields)));
const variant = fc.constantFrom(...SANDBOX_VARIANTS);
const narrowing = {
  orderId: fc.option(order, { nil: undefined, freq: 1 }),
  status: fc.option(fc.constantFrom(...STATUS_NAMES), { nil: undefined, freq: 1 }),
  fromDate: fc.option(date, { nil: undefined, freq: 1 }),
  toDate: fc.option(date, { nil: undefined, freq: 1 }),
};
const filter = fc.record({ ...narrowing, searchTerm: fc.option(text, { nil: undefined, freq: 1 }) });

/** What the rules say, record by record, written without SQL. */
function expectedList(all: ShippingRecord[], rules: SandboxVariant, wanted: ListFilter): ShippingRecord[] {
  const { searchTerm } = wanted;
  const pattern = new RegExp(
    (searchTerm ?? '').normalize('NFC').replaceAll(/[\\*]/g, '\\$&'),
    rules === 'extended' ? 'iu' : 'u',
  );
  return all
    .filter((one) => rules === 'basic' || !one.isDeleted)
    .filter((one) => meets(one, wanted))
    .filter((one) => {
      const fields = [one.shippingAddress, one.trackingNumber, ...(rules === 'extended' ? [one.orderId] : [])];
      return searchTerm === undefined || fields.some((field) => field !== null && pattern.test(field.normalize('NFC')));
    });
}

function meets(one: ShippingRecord, wanted: SingleCriteria): boolean {
  const same = (want: string | undefined, have: string | null): boolean => want === undefined || want === have;
  return (
    same(wanted.id, one.id) &&
    same(wanted.orderId, one.orderId) &&
    same(wanted.trackingNumber, one.trackingNumber) &&
    same(wanted.status, nameOf(one)) &&
    (wanted.fromDate === undefined || one.createdDate >= wanted.fromDate) &&
    (wanted.toDate === undefined || one.createdDate <= wanted.toDate)
  );
}

function nameOf({ status }: ShippingRecord): string {
  return STATUS_OF_TEXT.get(status ?? '') ?? 'Unknown';
}

function sorted(
  all: ShippingRecord[],
  { sortBy, sortDirection }: Pick<PageCriteria, 'sortBy' | 'sortDirection'>,
): string[] {
  const keys = {
    CreatedDate: (one: ShippingRecord) => one.createdDate,
    Status: nameOf,
    // Unknown ones come first.
    TrackingNumber: (one: ShippingRecord) => one.trackingNumber ?? '',
  };
  const sign = sortDirection === 'asc' ? 1 : -1;
  const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return all
    .toSorted((one, other) => sign * compare(keys[sortBy](one), keys[sortBy](other)) || compare(one.id, other.id))
    .map(({ id }) => id);
}

const NEWEST_FIRST = { sortBy: 'CreatedDate', sortDirection: 'desc' } as const;
const SORTS = (['CreatedDate', 'Status', 'TrackingNumber'] as const).flatMap((sortBy) =>
  (['asc', 'desc'] as const).map((sortDirection) => ({ sortBy, sortDirection })),
);

/** Runs a check on a repository over the records, and releases it whatever comes out. */
function onRepository(
  all: ShippingRecord[],
  rules: SandboxVariant,
  check: (repository: ShippingRepository) => void,
): void {
  const repository = new ShippingRepository(all, rules);
  try {
    check(repository);
  } finally {
    repository.close();
  }
}

describe('the repository against the rules applied record by record', () => {
  it('D29: lists agree, for any records, filter and variant', () => {
    fc.assert(
      fc.property(records, variant, filter, (all, rules, wanted) => {
        onRepository(all, rules, (repository) => {
          const ids = repository.list(wanted).map(({ id }) => id);
          expect(ids).toEqual(sorted(expectedList(all, rules, wanted), NEWEST_FIRST));
        });
      }),
      { numRuns: 300 },
    );
  });

  it.each(SORTS)('D29: pages by $sortBy $sortDirection hold every record once, in order, with the total', (sort) => {
    fc.assert(
      fc.property(records, variant, filter, fc.integer({ min: 1, max: 7 }), (all, rules, wanted, pageSize) => {
        onRepository(all, rules, (repository) => {
          const expected = sorted(expectedList(all, rules, wanted), sort);
          const walked: string[] = [];
          const pages = Math.ceil(expected.length / pageSize);
          for (let pageNumber = 1; pageNumber <= pages + 1; pageNumber += 1) {
            const page = repository.page({ ...wanted, ...sort, pageNumber, pageSize });
            expect(page.totalCount).toBe(expected.length);
            walked.push(...page.records.map(({ id }) => id));
          }
          expect(walked).toEqual(expected);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('D11: the single lookup agrees, for any records, criteria and variant', () => {
    const criteria = fc.record({
      ...narrowing,
      id: fc.option(fc.constantFrom('a', 'B', '1'), { nil: undefined }),
      trackingNumber: fc.option(fc.constantFrom('T1', 't1'), { nil: undefined, freq: 1 }),
    });
    fc.assert(
      fc.property(records, variant, criteria, (all, rules, wanted) => {
        onRepository(all, rules, (repository) => {
          const matching = all.filter((one) => meets(one, wanted));
          expect(repository.findSingle(wanted)?.id).toBe(sorted(matching, NEWEST_FIRST)[0]);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('D29: a part of a searched field finds its record, whatever letters it is made of', () => {
    const searchedField = fc.constantFrom('shippingAddress', 'trackingNumber');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), searchedField, variant, (field, name, rules) => {
        fc.pre(!/\p{Cc}/u.test(field));
        onRepository([sampleRecord({ id: 'A', [name]: `x${field}y` })], rules, (repository) => {
          expect(repository.list({ searchTerm: field })).toHaveLength(1);
        });
      }),
    );
  });

  it('gives a record back as it was stored', () => {
    const stored = sampleRecord({
      id: 'A',
      status: null,
      totalWeight: 0.385,
      modifiedDate: '2025-07-01T00:00:00.000Z',
      modifiedBy: "O'Hara",
      isDeleted: true,
      shippingItems: [{ id: 'A-1', sku: 'S', description: '手ぬぐい', quantity: 2, weight: 0.385 }],
    });
    onRepository([stored], 'extended', (repository) => {
      expect(repository.findById('A')).toEqual(stored);
      expect(repository.findById('a')).toBeUndefined();
    });
  });

  it('refuses two records with one Id', () => {
    const twice = [sampleRecord({ id: 'A' }), sampleRecord({ id: 'A' })];
    expect(() => new ShippingRepository(twice, 'basic')).toThrow(/UNIQUE/);
  });

  it('counts right after more different filters than it remembers totals for', () => {
    onRepository([sampleRecord({ id: 'A' }), sampleRecord({ id: 'B' })], 'extended', (repository) => {
      const total = (orderId: string): number =>
        repository.page({ orderId, pageNumber: 1, pageSize: 1, ...NEWEST_FIRST }).totalCount;
      for (let order = 0; order < 1_001; order += 1) expect(total(`ORD-${order}`)).toBe(order === 1 ? 2 : 0);
      expect(total('ORD-1')).toBe(2);
    });
  });
});
