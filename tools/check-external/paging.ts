import { printCauses } from '#src/common/errors';
import { PAGE_SIZE, ShippingStatus } from '#src/index';
import { DEFAULT_LIMIT } from '#src/shipping/model/parameter-rules';
import { CannotTell, type CheckedSystem, must, mustAll, RECORDS } from './checked-system';
import { BODY } from './fields';
import type { RecordedCall } from './received';

/** Enough to notice a list that ends early, and small enough for the bound of a response. */
const LARGE_LIMIT = 1000;
/** How many pages are read, so that late ones, which may go wrong alone, are among them. */
const PAGES = 8;
const REPEAT = 'Records changed during the check: repeat it';

/** The number of records, and a page size with which there are several pages, the last of them not full. */
async function sizes(system: CheckedSystem, needs: number): Promise<{ totalCount: number; size: number }> {
  const { totalCount } = await system.page();
  if (totalCount < needs) throw new CannotTell(`Needs ${needs} records or more in the paged list`);
  return { totalCount, size: notDividing(totalCount, Math.max(2, Math.min(10, Math.floor(totalCount / 3)))) };
}

/** The next size that does not divide the total: with another one, a system that rounds pages down passes by chance. */
function notDividing(totalCount: number, from: number): number {
  let size = from;
  while (totalCount > 0 && totalCount % size === 0) size += 1;
  return size;
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
    const flags = { hasPreviousPage: number > 1, hasNextPage: number < last };
    const expected = { pageNumber: number, pageSize: size, totalPages: last, ...flags };
    const wrong = Object.entries(expected).filter(([name, value]) => page[name as keyof typeof expected] !== value);
    // The service derives values that the total contradicts, and says so.
    const causes = system.callOf(page.items)?.result?.completeness.causes ?? [];
    const said = causes.filter(({ field }) => BODY.includes(field ?? ''));
    const names = [...wrong.map(([name]) => name), ...(said.length > 0 ? [printCauses(said)] : [])];
    must(names.length === 0, `Page ${number} of ${last}: ${names.join(', ')}`);
  }
}

/**
 * Reads eight pages, or all where there are fewer, by creation and by status: many records have the same status, so that
 * a system may forget to order them further.
 */
export async function order(system: CheckedSystem): Promise<void> {
  const { totalCount } = await sizes(system, 3);
  const PageSize = Math.min(PAGE_SIZE.max, Math.max(2, Math.ceil(totalCount / PAGES)));
  for (const SortBy of ['CreatedDate', 'Status']) {
    const ids: string[] = [];
    for (let PageNumber = 1; PageNumber <= Math.min(PAGES, Math.ceil(totalCount / PageSize)); PageNumber += 1) {
      const page = await system.page({ PageNumber, PageSize, SortBy });
      if (page.totalCount !== totalCount) throw new CannotTell(REPEAT);
      ids.push(...page.items.map(({ id }) => id));
    }
    const repeated = ids.length - new Set(ids).size;
    must(repeated === 0, `${repeated} of ${ids.length} records are on two pages with SortBy=${SortBy}`);
    const { items } = await system.page({ PageSize: PAGE_SIZE.max, SortBy });
    mustAll(items, ({ id }) => ids.includes(id), `are on no page with SortBy=${SortBy}`);
  }
}

/** Checks the total by the number of records on the last page, with a size that does not divide the total. */
export async function total(system: CheckedSystem): Promise<void> {
  const { orderId: OrderId, record } = system.samples;
  const Status = record?.status;
  for (const filter of [{}, { OrderId }, ...(Status === ShippingStatus.Unknown ? [] : [{ Status }])]) {
    const { totalCount } = await system.page(filter);
    const PageSize = notDividing(totalCount, Math.min(RECORDS, Math.max(2, totalCount - 1)));
    const PageNumber = Math.max(1, Math.ceil(totalCount / PageSize));
    const page = await system.page({ ...filter, PageNumber, PageSize });
    const again = page.totalCount;
    if (again !== totalCount) {
      const first = (await system.page(filter, true)).totalCount;
      must(first !== totalCount, `TotalCount is ${again} on page ${PageNumber}, and ${totalCount} on page 1`);
      throw new CannotTell(REPEAT);
    }
    const expected = totalCount - (PageNumber - 1) * PageSize;
    const length = system.countFor(page.items);
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
    const count = system.countFor(list);
    must(count === Math.min(Limit, available), `${count} records with Limit=${Limit}`);
  }
}

/** The service notices where a list says that there is more, by its total, a field such as `nextLink`, or a header. */
export function ends({ calls }: CheckedSystem): void {
  const isShort = ({ limit = 0, result }: RecordedCall): boolean => {
    const { completeness } = result ?? {};
    return completeness?.level === 'complete' && (completeness.limit ?? limit) < limit;
  };
  const short = calls.filter(isShort).length;
  must(short === 0, `${short} lists with fewer records than asked for say that there are more`);
}

/** A list of all records, and one without `Limit`, which may end after 100 records: both fit the total of the pages. */
export async function listTotal(system: CheckedSystem): Promise<void> {
  const { totalCount } = await system.page();
  const Limit = Math.min(Math.max(totalCount, 1), LARGE_LIMIT);
  const [limited, whole] = [await system.list({ Limit }), await system.list({})];
  if ((await system.page({}, true)).totalCount !== totalCount) throw new CannotTell(REPEAT);
  const [few, all] = [system.countFor(limited), system.countFor(whole)];
  must(few === Math.min(totalCount, Limit), `${few} records with Limit=${Limit}, but TotalCount is ${totalCount}`);
  const isWhole = all === totalCount || (all === DEFAULT_LIMIT && totalCount > DEFAULT_LIMIT);
  must(isWhole, `${all} records without Limit, but TotalCount is ${totalCount}`);
}
