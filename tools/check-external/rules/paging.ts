import type { PagedShippingList } from '../../../src/shipping/model/response-bodies';
import { PAGE_SIZE } from '../../../src/shipping/model/parameter-bounds';
import type { CheckedSystem } from '../checked-system';
import { cannotTell, fail, failOnFirst, pass, type Finding, type Rule } from '../rule';

const BEYOND = 1000;
const LIMITS = [1, 2, 7];
const NEEDS_RECORD = cannotTell('The paged list is empty: add a record.');
const NEEDS_PAGES = cannotTell('Needs three records or more in the paged list.');
const REPEAT = cannotTell('Records were added or deleted during the check: repeat it.');

/** Pages, their values, and the limit of the unpaged list. */
export const PAGING_RULES: readonly Rule[] = [
  {
    id: 'page-size',
    title: 'A page has PageSize records, fewer only on the last page',
    advice: 'Apply PageSize. Where the system returns smaller pages, write a protocol.',
    needs: ['paged-body'],
    check: checkPageSize,
  },
  {
    id: 'page-values',
    title: 'PageNumber, PageSize, TotalPages, HasPreviousPage and HasNextPage fit the request and TotalCount',
    advice:
      'Compute TotalPages as TotalCount / PageSize, rounded up, and return the requested PageNumber and PageSize.',
    needs: ['paged-body'],
    unless: ['page-size'],
    check: checkValues,
  },
  {
    id: 'page-overlap',
    title: 'Neighbouring pages have no record in common',
    advice: 'Skip (PageNumber - 1) * PageSize records, and order records with equal sort values by Id.',
    needs: ['page-size'],
    check: checkOverlap,
  },
  {
    id: 'page-gaps',
    title: 'No record is missing between neighbouring pages',
    advice: 'Skip (PageNumber - 1) * PageSize records, and order records with equal sort values by Id.',
    needs: ['page-overlap'],
    check: checkGaps,
  },
  {
    id: 'page-total',
    title: 'TotalCount is the number of records on all pages',
    advice: 'Count with the same filters as the records of the pages.',
    needs: ['paged-body'],
    unless: ['page-size'],
    check: (system) => checkTotal(system),
  },
  {
    id: 'page-total-filtered',
    title: 'TotalCount counts the records that match the filters',
    advice: 'Count with the same filters as the records of the pages.',
    needs: ['page-total', 'paged-order-id'],
    check: (system) => checkTotal(system, { OrderId: system.samples.orderId }),
  },
  {
    id: 'page-beyond',
    title: 'A page beyond the last one is empty',
    advice: 'Respond with 200 and no Items, not with an error or the last page.',
    needs: ['paged-body'],
    unless: ['page-size'],
    check: checkBeyond,
  },
  {
    id: 'limit',
    title: 'The unpaged list has Limit records at most',
    advice: 'Apply Limit.',
    needs: ['details-body'],
    check: checkLimit,
  },
  {
    id: 'limit-default',
    title: 'Without Limit, the unpaged list has 100 records at most',
    advice: 'Return at most 100 records where Limit is absent.',
    needs: ['details-body'],
    isHint: true,
    check: checkDefaultLimit,
  },
];

async function checkValues(system: CheckedSystem): Promise<Finding> {
  const { totalCount } = await system.page();
  const PageSize = smallSize(totalCount);
  const last = Math.max(1, Math.ceil(totalCount / PageSize));
  for (const PageNumber of [1, Math.min(2, last), last]) {
    const wrong = wrongValues(await system.page({ PageNumber, PageSize }), PageNumber, PageSize);
    if (wrong.length > 0) return fail(`Wrong: ${wrong.join(', ')}`);
  }
  return pass();
}

async function checkOverlap(system: CheckedSystem): Promise<Finding> {
  const pages = await neighbours(system);
  if (pages === undefined) return NEEDS_PAGES;
  const ids = pages.flatMap(({ items }) => items.map(({ id }) => id));
  const repeated = ids.length - new Set(ids).size;
  return repeated === 0 ? pass() : fail(`${repeated} of ${ids.length} records are on two pages`);
}

async function checkBeyond(system: CheckedSystem): Promise<Finding> {
  const { totalPages } = await system.page();
  const next = await system.page({ PageNumber: totalPages + 1 });
  const far = await system.page({ PageNumber: totalPages + BEYOND });
  const count = Math.max(next.items.length, far.items.length);
  return count === 0 ? pass() : fail(`${count} records`);
}

async function checkDefaultLimit(system: CheckedSystem): Promise<Finding> {
  const count = (await system.list({})).length;
  return count <= 100 ? pass() : cannotTell('Ask clients to send Limit: the list is long without it.', `${count} records`); // prettier-ignore
}

/** A size with which there are several pages, 10 at most. */
function smallSize(totalCount: number): number {
  return Math.max(1, Math.min(10, Math.floor(totalCount / 3)));
}

async function checkPageSize(system: CheckedSystem): Promise<Finding> {
  const { totalCount } = await system.page();
  if (totalCount < 2) return cannotTell('Needs two records or more in the paged list.');
  for (const PageSize of new Set([1, smallSize(totalCount), PAGE_SIZE.max])) {
    const { items } = await system.page({ PageSize });
    const expected = Math.min(PageSize, totalCount);
    // TotalCount may be wrong; another rule checks it.
    const isTooFew = items.length < expected && (await isFollowed(system, items.length, PageSize));
    if (items.length > PageSize || isTooFew) return fail(`${items.length} records with PageSize=${PageSize}`);
  }
  return pass();
}

/** Whether more than `count` records exist. */
async function isFollowed(system: CheckedSystem, count: number, PageSize: number): Promise<boolean> {
  return count === 0 || (await system.page({ PageNumber: 2, PageSize })).items.length > 0;
}

function wrongValues(page: PagedShippingList, PageNumber: number, PageSize: number): string[] {
  const totalPages = Math.ceil(page.totalCount / PageSize);
  const expected = {
    pageNumber: PageNumber,
    pageSize: PageSize,
    totalPages,
    hasPreviousPage: PageNumber > 1 && totalPages > 0,
    hasNextPage: PageNumber < totalPages,
  };
  const names = Object.keys(expected) as (keyof typeof expected)[];
  return names.filter((name) => page[name] !== expected[name]);
}

/** The first three pages; `undefined` where there are fewer records. */
async function neighbours(system: CheckedSystem): Promise<PagedShippingList[] | undefined> {
  const { totalCount } = await system.page();
  if (totalCount < 3) return undefined;
  const PageSize = smallSize(totalCount);
  const pages: PagedShippingList[] = [];
  for (const PageNumber of [1, 2, 3]) pages.push(await system.page({ PageNumber, PageSize }));
  return pages;
}

async function checkGaps(system: CheckedSystem): Promise<Finding> {
  const pages = await neighbours(system);
  if (pages === undefined) return NEEDS_PAGES;
  const whole = await system.page({
    PageSize: Math.min(PAGE_SIZE.max, 3 * (pages[0]?.items.length ?? 1)),
  });
  if (pages.some(({ totalCount }) => totalCount !== whole.totalCount)) return REPEAT;
  const ids = new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const missing = whole.items.filter(({ id }) => !ids.has(id)).length;
  return missing === 0 ? pass() : fail(`${missing} of ${whole.items.length} records are on no page`);
}

async function checkTotal(system: CheckedSystem, filter: { readonly OrderId?: string } = {}): Promise<Finding> {
  const { totalCount, items } = await system.page(filter);
  if (totalCount === 0) return items.length === 0 ? NEEDS_RECORD : fail('TotalCount is 0, but the page has records');
  // Where the last page is not full, a total that differs by one shows.
  const sizes = Array.from({ length: system.pageSize }, (_, index) => system.pageSize - index);
  const PageSize = sizes.find((size) => totalCount % size !== 0) ?? system.pageSize;
  const PageNumber = Math.ceil(totalCount / PageSize);
  const last = await system.page({ ...filter, PageNumber, PageSize });
  if (last.totalCount !== totalCount) return REPEAT;
  const expected = totalCount - (PageNumber - 1) * PageSize;
  return last.items.length === expected
    ? pass()
    : fail(`The last page has ${last.items.length} records, but ${expected} by TotalCount`);
}

/** Records of the last unpaged list, before the standard protocol cut them off; `undefined`: another protocol. */
function recordsSent({ calls }: CheckedSystem): number | undefined {
  const data = calls.at(-1)?.responses.at(-1)?.data as Record<string, unknown> | undefined;
  const records = data?.ShippingDetails ?? data?.shippingDetails;
  return Array.isArray(records) ? records.length : undefined;
}

async function checkLimit(system: CheckedSystem): Promise<Finding> {
  const available = (await system.list()).length;
  if (available < 2) return cannotTell('Needs two records or more in the unpaged list.');
  const faults: (string | undefined)[] = [];
  for (const Limit of LIMITS) {
    const mapped = await system.list({ Limit });
    const length = recordsSent(system) ?? mapped.length;
    faults.push(length === Math.min(Limit, available) ? undefined : `${length} records with Limit=${Limit}`);
  }
  return failOnFirst(faults);
}
