import { SORT_KEYS, type PageSorting, type SortDirection, type SortKey } from '../../../src/shipping/model/sorting';
import type { PagedShippingList, ShippingListItem } from '../../../src/shipping/model/response-bodies';
import { ShippingStatus } from '../../../src/shipping/model/shipping-status';
import type { CheckedSystem } from '../checked-system';
import { cannotTell, fail, pass, type Finding, type Rule } from '../rule';

const TIE_PAGE_SIZE = 10;

type Compare = (a: string, b: string) => number;

/** Databases compare texts by code point, ignoring case, or by a collation; any one will do. */
const ORDERS: readonly Compare[] = [
  byCodePoint,
  (a, b) => byCodePoint(a.toLowerCase(), b.toLowerCase()),
  new Intl.Collator('en').compare,
  new Intl.Collator('en', { numeric: true }).compare,
];

/** The three sort keys in both directions, and the order of equal values. */
export const SORTING_RULES: readonly Rule[] = [
  ...(['CreatedDate', 'TrackingNumber'] as const).flatMap((key) => [valueRule(key, 'asc'), valueRule(key, 'desc')]),
  {
    ...sortRule('Status', 'asc'),
    title: 'SortBy=Status groups the records by status',
    check: checkStatusGroups,
  },
  {
    ...sortRule('Status', 'desc'),
    title: 'SortBy=Status with SortDirection=desc has the opposite order',
    needs: ['page-size', 'sort-status-asc'],
    check: checkStatusReversed,
  },
  {
    id: 'sort-ties',
    title: 'Records with equal sort values have a fixed order',
    advice: 'Order records with equal sort values by Id, on every page and for every SortBy.',
    needs: ['page-size'],
    check: checkTies,
  },
];

function sortRule(key: SortKey, direction: SortDirection): Omit<Rule, 'check'> {
  const name = { CreatedDate: 'created-date', Status: 'status', TrackingNumber: 'tracking-number' }[key];
  return {
    id: `sort-${name}-${direction}`,
    title: `SortBy=${key} with SortDirection=${direction} sorts all pages`,
    advice: `Sort all matching records by ${key}, then cut the page.`,
    needs: ['page-size'],
  };
}

function valueRule(key: 'CreatedDate' | 'TrackingNumber', direction: SortDirection): Rule {
  const field = key === 'CreatedDate' ? 'createdDate' : 'trackingNumber';
  return {
    ...sortRule(key, direction),
    check: async (system) => {
      const records = await ends(system, { SortBy: key, SortDirection: direction });
      const values = records.flatMap((record) => record[field] ?? []);
      if (new Set(values).size < 2) return cannotTell(`Needs records with different values of ${key}.`);
      const sign = direction === 'asc' ? 1 : -1;
      const isSorted = ORDERS.some((compare) =>
        values.every((value, index) => index === 0 || sign * compare(values[index - 1] ?? '', value) <= 0),
      );
      return isSorted ? pass() : fail('The records are in another order');
    },
  };
}

/** The records of the first and of the last page. */
async function ends(system: CheckedSystem, sorting: PageSorting): Promise<readonly ShippingListItem[]> {
  const first = await system.page(sorting);
  const PageNumber = Math.ceil(first.totalCount / system.pageSize);
  return PageNumber < 2 ? first.items : [...first.items, ...(await system.page({ ...sorting, PageNumber })).items];
}

/** Unknown statuses stand for different texts, which may be anywhere. */
function groupsOf(statuses: readonly ShippingStatus[]): ShippingStatus[] {
  const known = statuses.filter((status) => status !== ShippingStatus.Unknown);
  return known.filter((status, index) => status !== known[index - 1]);
}

async function checkStatusGroups(system: CheckedSystem): Promise<Finding> {
  const records = await ends(system, { SortBy: 'Status', SortDirection: 'asc' });
  return groupingOf(records.map(({ status }) => status));
}

function groupingOf(statuses: readonly ShippingStatus[]): Finding {
  if (new Set(statuses).size < 2) return cannotTell('Needs records with different statuses.');
  const groups = groupsOf(statuses);
  return new Set(groups).size === groups.length ? pass() : fail('The records of a status are not together');
}

async function checkStatusReversed(system: CheckedSystem): Promise<Finding> {
  const statusesOf = async (SortDirection: SortDirection): Promise<ShippingStatus[]> =>
    (await ends(system, { SortBy: 'Status', SortDirection })).map(({ status }) => status);
  const [ascending, descending] = [await statusesOf('asc'), await statusesOf('desc')];
  const grouping = groupingOf(descending);
  if (grouping.result !== 'pass') return grouping;
  const order = groupsOf(ascending);
  const positions = groupsOf(descending).flatMap((status) => (order.includes(status) ? [order.indexOf(status)] : []));
  const isReversed = positions.every((position, index) => index === 0 || position < (positions[index - 1] ?? 0));
  const beginsAlike = ascending[0] === descending[0] && ascending[0] !== ShippingStatus.Unknown;
  return isReversed && !beginsAlike ? pass() : fail('The order is not the opposite of SortDirection=asc');
}

async function checkTies(system: CheckedSystem): Promise<Finding> {
  for (const SortBy of SORT_KEYS) {
    const sorting = { SortBy, SortDirection: 'desc' };
    const finding = comparePages(await system.page(sorting), await system.page(sorting, true), SortBy);
    if (finding.result !== 'pass') return finding;
  }
  const sorting = { SortBy: 'Status', SortDirection: 'asc', PageSize: Math.min(TIE_PAGE_SIZE, system.pageSize) };
  const first = await system.page({ ...sorting, PageNumber: 1 });
  const second = await system.page({ ...sorting, PageNumber: 2 });
  const whole = await system.page({ ...sorting, PageSize: system.pageSize });
  const items = [...first.items, ...second.items].slice(0, whole.items.length);
  return comparePages({ ...first, items }, { ...whole, items: whole.items.slice(0, items.length) }, 'Status');
}

function comparePages(a: PagedShippingList, b: PagedShippingList, key: string): Finding {
  if (a.totalCount !== b.totalCount) return cannotTell('Records were added or deleted during the check: repeat it.');
  const isSame = a.items.every(({ id }, index) => id === b.items[index]?.id);
  return isSame ? pass() : fail(`With SortBy=${key}, two requests return records in different orders`);
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
