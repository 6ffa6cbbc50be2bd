import { PAGE_SIZE, type PagedShippingList, type ShippingLookupItem, ShippingStatus } from '#src/index';
import type { UpstreamObject } from '#src/shipping/gateway/protocol/value-reader';
import { DEFAULT_LIMIT } from '#src/shipping/model/parameter-rules';
import { CannotTell, type CheckedSystem, must, mustAll, RECORDS, valueOf } from './checked-system';

/** Enough to notice a list that ends early, and small enough for the bound of a response. */
const LARGE_LIMIT = 1000;
const REPEAT = 'Records changed during the check: repeat it';

export const pageBody = (system: CheckedSystem): Promise<unknown> => system.page();
export const listBody = (system: CheckedSystem): Promise<unknown> => system.list();
export const wholeList = (system: CheckedSystem): Promise<unknown> => system.list({});

/** The number of records, and a page size with which there are several pages, the last of them not full. */
async function sizes(system: CheckedSystem, needs: number): Promise<{ totalCount: number; size: number }> {
  const { totalCount } = await system.page();
  if (totalCount < needs) throw new CannotTell(`Needs ${needs} records or more in the paged list`);
  // Where the size divided the total, a system that rounds the number of pages down would pass by chance.
  let size = Math.max(2, Math.min(10, Math.floor(totalCount / 3)));
  while (totalCount % size === 0) size += 1;
  return { totalCount, size };
}

export async function pageSize(system: CheckedSystem): Promise<void> {
  const { size } = await sizes(system, 2);
  for (const PageSize of [1, size, PAGE_SIZE.max]) {
    const { length } = (await system.page({ PageSize })).items;
    const isLast = (await system.page({ PageSize, PageNumber: 2 })).items.length === 0;
    const isRight = length === PageSize || (length < PageSize && length > 0 && isLast);
    must(isRight, `${length} records with PageSize=${PageSize}`);
  }
}

export async function values(system: CheckedSystem): Promise<void> {
  const { totalCount, size } = await sizes(system, 1);
  const last = Math.ceil(totalCount / size);
  for (const number of [1, Math.min(2, last), last]) {
    const page = await system.page({ PageNumber: number, PageSize: size });
    const wrong = wrongValues(page, system.sentFor(page), number, size);
    must(wrong.length === 0, `Page ${number} of ${last}: ${wrong.join(', ')}`);
  }
}

/** Compares the values as they were sent: the service derives those that the total contradicts. */
function wrongValues(page: PagedShippingList, sent: UpstreamObject, pageNumber: number, size: number): string[] {
  const totalPages = Math.ceil(page.totalCount / size);
  const [hasPreviousPage, hasNextPage] = [pageNumber > 1 && totalPages > 0, pageNumber < totalPages];
  const expected = { pageNumber, pageSize: size, totalPages, hasPreviousPage, hasNextPage };
  const names = Object.keys(expected) as (keyof typeof expected)[];
  return names.filter((name) => {
    const value = valueOf(sent, name) ?? page[name];
    // A number as text is read as that number (D14).
    return value !== expected[name] && value !== String(expected[name]);
  });
}

/** Checks by creation, and by status: many records have the same, so that a system may forget to order them further. */
export async function order(system: CheckedSystem): Promise<void> {
  const { size } = await sizes(system, 3);
  for (const SortBy of ['CreatedDate', 'Status']) {
    const parts: PagedShippingList[] = [];
    for (const PageNumber of [1, 2, 3]) parts.push(await system.page({ PageNumber, PageSize: size, SortBy }));
    const whole = await system.page({ PageSize: 3 * size, SortBy });
    if (parts.some(({ totalCount }) => totalCount !== whole.totalCount)) throw new CannotTell(REPEAT);
    const ids = parts.flatMap(({ items }) => items.map(({ id }) => id));
    must(repeatedIn(ids) === 0, `${repeatedIn(ids)} records are on two pages with SortBy=${SortBy}`);
    mustAll(whole.items, ({ id }) => ids.includes(id), `are on no page with SortBy=${SortBy}`);
  }
}

const repeatedIn = (ids: readonly string[]): number => ids.length - new Set(ids).size;

/** Checks the total by the number of records on the last page, with a size that does not divide the total. */
export async function total(system: CheckedSystem): Promise<void> {
  const { orderId: OrderId, record } = system.samples;
  const Status = record?.status;
  for (const filter of [{}, { OrderId }, ...(Status === ShippingStatus.Unknown ? [] : [{ Status }])]) {
    const { totalCount } = await system.page(filter);
    const most = Math.min(RECORDS, Math.max(2, totalCount - 1));
    const candidates = Array.from({ length: most }, (_, index) => most - index);
    const PageSize = candidates.find((size) => totalCount % size !== 0) ?? RECORDS;
    const PageNumber = Math.max(1, Math.ceil(totalCount / PageSize));
    const page = await system.page({ ...filter, PageNumber, PageSize });
    const again = page.totalCount;
    if (again !== totalCount) {
      const first = await system.page(filter, true);
      must(
        first.totalCount !== totalCount,
        `TotalCount is ${again} on page ${PageNumber}, and ${totalCount} on page 1`,
      );
      throw new CannotTell(REPEAT);
    }
    const expected = totalCount - (PageNumber - 1) * PageSize;
    const length = countOf(system, page.items);
    must(length === expected, `The last page has ${length} records, but ${expected} by TotalCount`);
  }
}

export async function beyond(system: CheckedSystem): Promise<void> {
  const { totalCount } = await system.page();
  const { items } = await system.page({ PageNumber: Math.ceil(totalCount / RECORDS) + 1000 });
  must(items.length === 0, `${items.length} records beyond the last page`);
}

export async function limit(system: CheckedSystem): Promise<void> {
  const available = (await system.list()).length;
  if (available < 2) throw new CannotTell('Needs two records or more in the unpaged list');
  for (const Limit of [1, 2, 7]) {
    const list = await system.list({ Limit });
    const count = countOf(system, list);
    must(count === Math.min(Limit, available), `${count} records with Limit=${Limit}`);
  }
}

/** The number of records that the system sent, of which the service keeps those that fit the request. */
function countOf(system: CheckedSystem, list: readonly ShippingLookupItem[]): number {
  const sent = system.sentFor(list);
  const records = valueOf(sent, 'items') ?? valueOf(sent, 'shippingDetails');
  return Array.isArray(records) ? records.length : list.length;
}

/** Reads all pages, of which late ones may go wrong alone, and compares them with the unpaged list. */
export async function everyPage(system: CheckedSystem): Promise<void> {
  const { totalCount } = await system.page();
  const ids: string[] = [];
  for (let PageNumber = 1; ids.length < LARGE_LIMIT && (PageNumber - 1) * PAGE_SIZE.max < totalCount; PageNumber += 1) {
    const page = await system.page({ PageNumber, PageSize: PAGE_SIZE.max });
    if (page.totalCount !== totalCount) throw new CannotTell(REPEAT);
    ids.push(...page.items.map(({ id }) => id));
  }
  must(repeatedIn(ids) === 0, `${repeatedIn(ids)} of ${ids.length} records are on two pages`);
  if (totalCount > LARGE_LIMIT) return;
  const own = new Set(ids);
  mustAll(
    await system.list({ Limit: Math.max(totalCount, 1) }),
    ({ id }) => own.has(id),
    'of the unpaged list are on no page',
  );
}

/** A list of all records, and one without `Limit`, which may end after 100 records: both fit the total of the pages. */
export async function listTotal(system: CheckedSystem): Promise<void> {
  const { totalCount } = await system.page();
  const Limit = Math.min(Math.max(totalCount, 1), LARGE_LIMIT);
  const [limited, whole] = [await system.list({ Limit }), await system.list({})];
  if ((await system.page({}, true)).totalCount !== totalCount) throw new CannotTell(REPEAT);
  const [few, all] = [countOf(system, limited), countOf(system, whole)];
  must(few === Math.min(totalCount, Limit), `${few} records with Limit=${Limit}, but TotalCount is ${totalCount}`);
  const isWhole = all === totalCount || (all === DEFAULT_LIMIT && totalCount > DEFAULT_LIMIT);
  must(isWhole, `${all} records without Limit, but TotalCount is ${totalCount}`);
  for (const list of [limited, whole]) {
    const repeated = repeatedIn(list.map(({ id }) => id));
    must(repeated === 0, `${repeated} of ${list.length} records come twice`);
  }
}
