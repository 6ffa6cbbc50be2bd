import type { ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { ShippingStatus } from '../../../src/shipping/model/shipping-status';
import type { CheckedSystem } from '../checked-system';
import { failOnFirst, needsRecord, violations, type Finding, type Rule } from '../rule';
import { unknownLike, wordIn } from '../samples';

/** Filters that both lists have. */
interface Filters {
  readonly SearchTerm?: string;
  readonly OrderId?: string;
  readonly Status?: ShippingStatus;
  readonly FromDate?: Date;
  readonly ToDate?: Date;
}

type Find = (filters: Filters) => Promise<readonly ShippingLookupItem[]>;
type FilterCheck = (find: Find, system: CheckedSystem) => Promise<Finding>;

/** A filter with its rule for each list. */
interface FilterRule {
  readonly name: string;
  readonly title: string;
  readonly advice: string;
  readonly needs?: string;
  readonly check: FilterCheck;
}

const FILTERS: readonly FilterRule[] = [
  {
    name: 'order-id',
    title: 'filters by OrderId',
    advice: 'Return the records whose OrderId equals the value, and no others.',
    check: checkOrder,
  },
  {
    name: 'status',
    title: 'filters by Status',
    advice: 'Status is a name such as InTransit; return the records with the matching text, such as in_transit.',
    check: checkStatus,
  },
  {
    name: 'search-term',
    title: 'filters by SearchTerm in addresses and tracking numbers',
    advice: 'Return the records whose ShippingAddress or TrackingNumber (or OrderId) contains the value.',
    check: checkSearch,
  },
  {
    name: 'from-date',
    title: 'filters by FromDate, the bound included',
    advice: 'Return the records with CreatedDate on or after the value, which is UTC with milliseconds.',
    needs: 'order-id',
    check: (find, system) => checkDate(find, system, 'FromDate'),
  },
  {
    name: 'to-date',
    title: 'filters by ToDate, the bound included',
    advice: 'Return the records with CreatedDate on or before the value, which is UTC with milliseconds.',
    needs: 'order-id',
    check: (find, system) => checkDate(find, system, 'ToDate'),
  },
  {
    name: 'no-match',
    title: 'is empty where no record matches',
    advice: 'Respond with 200 and no records, not with an error.',
    needs: 'order-id',
    check: async (find, { samples: { orderId } }) =>
      failOnFirst([violations(await find({ OrderId: unknownLike(orderId) }), () => false, 'match an unknown OrderId')]),
  },
];

/** Every filter of both lists. */
export const FILTER_RULES: readonly Rule[] = [
  ...FILTERS.map((filter) =>
    ruleOf(filter, 'paged', 'The paged list', (system) => async (params) => (await system.page(params)).items),
  ),
  ...FILTERS.map((filter) =>
    ruleOf(
      filter,
      'details',
      'The unpaged list',
      (system) => (params) => system.list({ ...params, Limit: system.pageSize }),
    ),
  ),
];

function ruleOf(filter: FilterRule, list: string, title: string, finder: (system: CheckedSystem) => Find): Rule {
  return {
    id: `${list}-${filter.name}`,
    title: `${title} ${filter.title}`,
    advice: filter.advice,
    needs: [`${list}-body`, ...(filter.needs === undefined ? [] : [`${list}-${filter.needs}`])],
    check: (system) => filter.check(finder(system), system),
  };
}

async function checkOrder(find: Find, { samples }: CheckedSystem): Promise<Finding> {
  const { orderId } = samples;
  if (orderId === undefined) return needsRecord(samples, 'Needs a record with OrderId.');
  const records = await find({ OrderId: orderId });
  return failOnFirst([
    records.length === 0 && 'No record for the OrderId that was listed or given',
    violations(records, (record) => record.orderId === orderId, 'have another OrderId'),
  ]);
}

/** A status that occurs, and one that need not: records without it show that the filter is ignored. */
async function checkStatus(find: Find, { samples }: CheckedSystem): Promise<Finding> {
  const { record } = samples;
  if (record === undefined) return needsRecord(samples, 'Needs a record.');
  const { Created, Delivered, Unknown } = ShippingStatus;
  const other = record.status === Delivered ? Created : Delivered;
  const faults: (string | false | undefined)[] = [];
  for (const Status of record.status === Unknown ? [Created, Delivered] : [record.status, other]) {
    const records = await find({ Status });
    faults.push(violations(records, ({ status }) => status === Status, 'have another Status'));
    if (Status === record.status) faults.push(records.length === 0 && 'No record for the Status of a listed record');
  }
  return failOnFirst(faults);
}

async function checkSearch(find: Find, { samples }: CheckedSystem): Promise<Finding> {
  const { trackingNumber, record } = samples;
  const word = wordIn(record?.shippingAddress);
  if (!trackingNumber || word === undefined) {
    return needsRecord(
      samples,
      'Needs a record with TrackingNumber, and a word of four letters in its ShippingAddress.',
    );
  }
  const faults: (string | false | undefined)[] = [];
  for (const SearchTerm of [trackingNumber, word]) {
    const records = await find({ SearchTerm });
    const where = SearchTerm === word ? 'ShippingAddress' : 'TrackingNumber';
    faults.push(records.length === 0 && `No record for a text of the ${where} of a listed record`);
    faults.push(violations(records, (found) => contains(found, SearchTerm), 'do not contain the SearchTerm'));
  }
  const none = await find({ SearchTerm: unknownLike(trackingNumber) });
  faults.push(violations(none, () => false, 'match an unknown SearchTerm'));
  return failOnFirst(faults);
}

function contains({ shippingAddress, trackingNumber, orderId }: ShippingLookupItem, term: string): boolean {
  return [shippingAddress, trackingNumber, orderId].some((text) => folded(text ?? '').includes(folded(term)));
}

/** Systems may ignore case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
}

/** One millisecond beyond all samples the bound excludes every one; at a sample it includes that. */
async function checkDate(find: Find, system: CheckedSystem, name: 'FromDate' | 'ToDate'): Promise<Finding> {
  const { records, record } = system.samples;
  if (!record?.createdDate || !record.orderId)
    return needsRecord(system.samples, 'Needs a record with CreatedDate and OrderId.');
  const times = records.flatMap(({ createdDate }) => (createdDate === null ? [] : [Date.parse(createdDate)]));
  const bound = name === 'FromDate' ? Math.max(...times) + 1 : Math.min(...times) - 1;
  const lies = (time: number, limit: number): boolean => (name === 'FromDate' ? time >= limit : time <= limit);
  const satisfies =
    (limit: number) =>
    ({ createdDate }: ShippingLookupItem): boolean =>
      createdDate !== null && lies(Date.parse(createdDate), limit);
  const beyond = await find({ [name]: new Date(bound) });
  const at = Date.parse(record.createdDate);
  const including = await find({ OrderId: record.orderId, [name]: new Date(at) });
  const isIncluded = including.some(({ id }) => id === record.id);
  return failOnFirst([
    violations(beyond, satisfies(bound), `have a CreatedDate beyond ${name}`),
    violations(including, satisfies(at), `have a CreatedDate beyond ${name}`),
    !isIncluded && !hasFinerDates(system) && `A record with CreatedDate equal to ${name} is left out`,
  ]);
}

/** Finer fractions are cut to milliseconds, so that the bound may lie before the record. */
function hasFinerDates({ calls }: CheckedSystem): boolean {
  return calls.some(({ responses }) => responses.some(({ data }) => /:\d\d\.\d{4}/.test(JSON.stringify([data]))));
}
