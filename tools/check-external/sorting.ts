import { type ShippingListItem, ShippingStatus } from '#src/index';
import { SORT_KEYS } from '#src/shipping/model/parameter-rules';
import { CannotTell, type CheckedSystem, must, RECORDS } from './checked-system';

type SortKey = (typeof SORT_KEYS)[number];
type Compare = (a: string, b: string) => number;
type Records = readonly ShippingListItem[];

const byCodePoint: Compare = (a, b) => (a < b ? -1 : Number(a > b));

/** Any of these orders is right: databases compare texts by code point, with or without case, or by a collation. */
const ORDERS: readonly Compare[] = [
  byCodePoint,
  (a, b) => byCodePoint(a.toLowerCase(), b.toLowerCase()),
  new Intl.Collator('en').compare,
  new Intl.Collator('en', { numeric: true }).compare,
];

/** The records of the first page and the last, so that a sort of each page alone is noticed. */
async function ends(system: CheckedSystem, SortBy: string, SortDirection: string): Promise<Records> {
  const first = await system.page({ SortBy, SortDirection });
  const PageNumber = Math.ceil(first.totalCount / RECORDS);
  if (PageNumber < 2) return first.items;
  return [...first.items, ...(await system.page({ SortBy, SortDirection, PageNumber })).items];
}

/** @throws {CannotTell} for a key by which the protocol of a team does not sort: the service names it as ignored (D8) */
function mustHaveKey({ protocol }: CheckedSystem, key: SortKey): void {
  const { parameters, sortKeys = SORT_KEYS } = protocol;
  const isSorting = parameters === 'all' || parameters.includes('SortBy');
  if (!isSorting || !sortKeys.includes(key)) throw new CannotTell(`The protocol does not sort by ${key}`);
}

export function values(key: 'CreatedDate' | 'TrackingNumber', direction: 'asc' | 'desc') {
  return async (system: CheckedSystem): Promise<void> => {
    mustHaveKey(system, key);
    const records = await ends(system, key, direction);
    const texts = records.flatMap((each) => (key === 'CreatedDate' ? each.createdDate : each.trackingNumber) ?? []);
    const ascending = direction === 'asc' ? texts : texts.reverse();
    if (new Set(texts).size < 2) throw new CannotTell(`Needs records with different values of ${key}`);
    const isSortedBy = (compare: Compare): boolean =>
      ascending.every((value, index) => compare(ascending[index - 1] ?? value, value) <= 0);
    must(ORDERS.some(isSortedBy), 'The records are in another order');
  };
}

export async function status(system: CheckedSystem): Promise<void> {
  mustHaveKey(system, 'Status');
  const [ascending, descending] = [await ends(system, 'Status', 'asc'), await ends(system, 'Status', 'desc')];
  const [order, groups] = [groupsOf(ascending), groupsOf(descending)];
  const isGrouped = [order, groups].every((each) => new Set(each).size === each.length);
  must(isGrouped, 'The records of a status are not together');
  const positions = groups.map((each) => order.indexOf(each)).filter((position) => position >= 0);
  const isReversed = positions.every((position, index) => position <= (positions[index - 1] ?? position));
  const first = ascending[0]?.status;
  const beginsAlike = first === descending[0]?.status && first !== ShippingStatus.Unknown;
  must(isReversed && !beginsAlike, 'The orders of asc and desc are not opposite');
}

/**
 * The known statuses in the order of their records. `Unknown` is left out: it is several texts, which may sort
 * anywhere.
 */
function groupsOf(records: Records): ShippingStatus[] {
  const statuses = records.map((each) => each.status);
  if (new Set(statuses).size < 2) throw new CannotTell('Needs records with different statuses');
  const known = statuses.filter((each) => each !== ShippingStatus.Unknown);
  return known.filter((each, index) => each !== known[index - 1]);
}
