/* global agGrid, document, fetch, location, setTimeout, clearTimeout, setInterval, window, AbortController, DOMException */

/** Where the service is; `?service=` changes it. The service needs the origin of this page in `CORS_ORIGINS`. */
const SERVICE = new URLSearchParams(location.search).get('service') ?? 'http://localhost:3000';
const UNREACHABLE =
  `The service at ${SERVICE} cannot be reached, or does not allow this page. ` +
  `Start it there with CORS_ORIGINS=${location.origin}, or name its address by ?service= in that of this page.`;
const PAGE_SIZE = 20;
/** Nobody sees a shorter delay, and a word that is typed is one request instead of six. */
const DEBOUNCE_MS = 300;
const POLL_MS = 30_000;

/** By the field of a column, the only keys that the service sorts by. Any other would sort by date, without an error. */
const SORT_KEYS = { createdDate: 'CreatedDate', status: 'Status', trackingNumber: 'TrackingNumber' };

/** What people are told for each reason, and what they can do, as on the page `/problems` of the service. */
const REASONS = {
  'upstream-timeout': 'the shipping system is slow. Try again after some seconds.',
  'upstream-unreachable': 'the shipping system cannot be reached. Try again after a minute.',
  'upstream-error': 'the shipping system has a fault. Try again after some seconds.',
  'bad-reply': 'the shipping system sent data that cannot be read. Tell the operator.',
  'circuit-open': 'the shipping system has a fault, and is given time to recover. Try again after a minute.',
  saturated: 'too many people ask at the same time. Try again after a second.',
  internal: 'the service has a fault. Try again once, then tell the operator.',
};

const element = (id) => document.getElementById(id);
const filters = element('filters');
let pageNumber = 1;
/** The query of the rows that the grid shows. */
let shownQuery = '';
let request = new AbortController();
let typing;

const grid = agGrid.createGrid(element('grid'), {
  columnDefs: [
    { field: 'id' },
    { field: 'trackingNumber' },
    { field: 'orderId' },
    { field: 'shippingAddress', flex: 1, minWidth: 200 },
    { field: 'status' },
    { field: 'totalWeight', type: 'rightAligned' },
    // Dates arrive in UTC, and are shown in the zone of the browser.
    { field: 'createdDate', valueFormatter: ({ value }) => (value === null ? '' : new Date(value).toLocaleString()) },
  ].map((column) => ({
    width: 170,
    ...column,
    sortable: column.field in SORT_KEYS,
    // The service has sorted the rows of all pages; the grid must not sort those of this page once more.
    comparator: () => 0,
  })),
  // Rows of the same id are not drawn again, and stay selected.
  getRowId: ({ data }) => data.id,
  suppressMultiSort: true,
  // "No rows" would be wrong after a failure.
  suppressNoRowsOverlay: true,
  onSortChanged: firstPage,
});

/** The days of the filter are those of the user: a day of Berlin begins at 22:00 or 23:00 UTC of the day before. */
function localDay(day, days) {
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year, month - 1, date + days);
}

function queryOfPage() {
  const { SearchTerm, Status, FromDate, ToDate } = Object.fromEntries(new window.FormData(filters));
  const query = new URLSearchParams({ PageNumber: pageNumber, PageSize: PAGE_SIZE });
  if (SearchTerm.trim() !== '') query.set('SearchTerm', SearchTerm);
  if (Status !== '') query.set('Status', Status);
  if (FromDate !== '') query.set('FromDate', localDay(FromDate, 0).toISOString());
  if (ToDate !== '') query.set('ToDate', new Date(localDay(ToDate, 1).getTime() - 1).toISOString());
  const sorted = grid.getColumnState().find(({ sort }) => sort);
  if (sorted !== undefined) {
    query.set('SortBy', SORT_KEYS[sorted.colId]);
    query.set('SortDirection', sorted.sort);
  }
  return String(query);
}

/** Loads the page, and ends the request before it: otherwise its late response would replace the newer one. */
async function load() {
  request.abort();
  request = new AbortController();
  const query = queryOfPage();
  try {
    // The browser keeps complete responses and revalidates them with their ETag by itself, without a preflight.
    const response = await fetch(`${SERVICE}/api/Shipping/GetShippingPagedList?${query}`, {
      signal: request.signal,
    });
    if (!response.ok) throw new Error(await problemOf(response));
    show(query, await response.json(), response.headers);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    // A browser does not say why there is no response.
    fail(query, error instanceof TypeError ? UNREACHABLE : error.message);
  }
}

/** Errors are problem+json with a sentence in `detail`, but for two plain texts about paging. */
async function problemOf(response) {
  const isProblem = response.headers.get('Content-Type')?.includes('json');
  const text = isProblem ? (await response.json()).detail : await response.text();
  const seconds = response.headers.get('Retry-After');
  return seconds === null ? text : `${text} Try again in ${seconds} seconds.`;
}

function show(query, page, headers) {
  const [level, ...parameters] = (headers.get('Shipping-Completeness') ?? '').split(';');
  const { reason, dropped } = Object.fromEntries(parameters.map((parameter) => parameter.split('=')));
  if (level === 'unavailable') {
    const why = REASONS[reason] ?? 'the shipping system failed.';
    fail(query, `This is not an empty result. Not available: ${why} (Request ${headers.get('X-Request-Id')})`);
    return;
  }
  const isEmpty = page.totalCount === 0 && level === 'complete';
  element('message').textContent = isEmpty
    ? 'No shipment matches: choose fewer filters, other days or another status.'
    : messageOf(level, dropped, headers.get('Shipping-Ignored-Parameters'));
  shownQuery = query;
  grid.setGridOption('rowData', page.items);
  const first = (page.pageNumber - 1) * page.pageSize + 1;
  const last = Math.min(first + page.pageSize - 1, page.totalCount);
  const total = page.totalCount.toLocaleString();
  element('position').textContent = last < first ? `None of ${total}` : `${first} to ${last} of ${total}`;
  element('previous').disabled = !page.hasPreviousPage;
  element('next').disabled = !page.hasNextPage;
}

function messageOf(level, dropped, ignored) {
  if (ignored !== null) return `Without effect: ${ignored}`;
  if (level === 'stale') return 'These records are not the latest: the shipping system failed.';
  if (level !== 'partial') return '';
  return dropped === undefined ? 'Some fields could not be read.' : `Records that could not be read: ${dropped}.`;
}

/** Shows what went wrong. Rows of another query go: beside its filters they would be wrong. */
function fail(query, message) {
  element('message').textContent = message;
  if (query === shownQuery) return;
  shownQuery = query;
  element('position').textContent = '';
  grid.setGridOption('rowData', []);
  for (const id of ['previous', 'next']) element(id).disabled = true;
}

function turnTo(number) {
  pageNumber = number;
  void load();
}

function firstPage() {
  turnTo(1);
}

filters.addEventListener('submit', (event) => event.preventDefault());
filters.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(firstPage, DEBOUNCE_MS);
});
element('previous').addEventListener('click', () => turnTo(pageNumber - 1));
element('next').addEventListener('click', () => turnTo(pageNumber + 1));
// An unchanged page is a 304 without a body. A tab that nobody sees sends no request.
setInterval(() => document.visibilityState === 'visible' && load(), POLL_MS);
void load();
