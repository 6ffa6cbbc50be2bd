import type { Call, Fault, Reply, WirePage, WireRecord } from './broken-system';

/** A system that gets one thing wrong, and the rules that fail for it; all others pass or are undecided. */
export interface FaultRow {
  readonly name: string;
  readonly fails: readonly string[];
  readonly fault: Fault;
  /** Settings of the check. */
  readonly env?: Readonly<Record<string, string>>;
}

const LISTS = ['paged', 'details'] as const;
const OPERATIONS = ['paged', 'details', 'single', 'by-id'] as const;

const request = (operation: string, change: (call: Call) => void): Fault => ({
  request: (call) => {
    if (call.operation === operation) change(call);
  },
});
const reply = (operation: string, change: (reply: Reply, call: Call) => void | Promise<void>): Fault => ({
  reply: async (sent, call) => {
    if (call.operation === operation) await change(sent, call);
  },
});
const ignores = (operation: string, name: string): Fault =>
  request(operation, ({ query }) => {
    query.delete(name);
  });
const page = (change: (body: WirePage, call: Call) => void | Promise<void>): Fault =>
  reply('paged', ({ body }, call) => change(body as WirePage, call));
const recordsOf = (body: unknown): WireRecord[] => {
  const { Items, ShippingDetails } = body as { Items?: WireRecord[]; ShippingDetails?: WireRecord[] };
  return Items ?? ShippingDetails ?? [body as WireRecord];
};
/** Gives a field of each record another value; `undefined`: leaves it out. */
const field = (operation: string, name: string, value: unknown): Fault =>
  reply(operation, ({ status, body }) => {
    if (status === 200) for (const record of recordsOf(body)) record[name] = value;
  });
/** Gives fields of each page other values. */
const values = (change: (body: WirePage) => Record<string, unknown>): Fault =>
  page((body) => {
    Object.assign(body, change(body));
  });
export const replace = (sent: Reply, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  Object.assign(sent, { status, body, headers: { ...sent.headers, ...headers } });
};
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const shift = (query: URLSearchParams, name: string, byMs: number): void => {
  const value = query.get(name);
  if (value !== null) query.set(name, new Date(Date.parse(value) + byMs).toISOString());
};
export const emptyList = (sent: Reply): void => {
  const none = { Items: [], TotalCount: 0, TotalPages: 0, HasNextPage: false, ShippingDetails: [] };
  replace(sent, 200, { ...(sent.body as object), ...none });
};
const isTracking = (term: string | null): boolean => term !== null && /\d/.test(term);
const isUnknown = (text: string | null): boolean => text?.includes('999') === true;
/** Sorts by another key or in another direction than requested. */
const sortsWrongly = (key: string, direction: string, changed: Readonly<Record<string, string>>): Fault =>
  request('paged', ({ query }) => {
    if (query.get('SortBy') !== key || query.get('SortDirection') !== direction) return;
    for (const [name, value] of Object.entries(changed)) query.set(name, value);
  });

const BODIES: readonly FaultRow[] = [
  ...OPERATIONS.map((operation) => ({
    name: `${operation}: another shape`,
    fails: [`${operation}-body`],
    fault: reply(operation, (sent) => {
      replace(sent, 200, { Result: [] });
    }),
  })),
  ...OPERATIONS.map((operation) => ({
    name: `${operation}: HTML with 200`,
    fails: [`${operation}-body`, 'no-html'],
    fault: reply(operation, (sent) => {
      replace(sent, 200, '<html><body>Sign in</body></html>', HTML);
    }),
  })),
  {
    name: 'by-id: a redirect',
    fails: ['by-id-body', 'no-redirects'],
    fault: reply('by-id', (sent) => {
      replace(sent, 302, '', { location: '/login' });
    }),
  },
  {
    name: 'details: 401',
    fails: ['details-body', 'credentials'],
    fault: reply('details', (sent) => {
      replace(sent, 401, {});
    }),
  },
  {
    name: 'paged: 500',
    fails: ['paged-body'],
    fault: reply('paged', (sent) => {
      replace(sent, 500, {});
    }),
  },
];

const TYPES: readonly FaultRow[] = [
  { name: 'paged: CreatedBy is an object', fails: ['paged-types'], fault: field('paged', 'CreatedBy', {}) },
  { name: 'paged: ModifiedDate is no date', fails: ['paged-types'], fault: field('paged', 'ModifiedDate', 'soon') },
  { name: 'paged: TotalPages is a text', fails: ['paged-types'], fault: values(({ TotalPages }) => ({ TotalPages: String(TotalPages) })) },
  { name: 'details: TotalWeight is a text', fails: ['details-types'], fault: field('details', 'TotalWeight', '2 kg') },
  { name: 'details: records without Id', fails: ['details-types'], fault: reply('details', ({ body }, { query }) => { const [first] = recordsOf(body);
      if (first !== undefined && !query.has('Limit')) first.Id = undefined; }) },
  { name: 'single: ShippingItems is a text', fails: ['single-types'], fault: field('single', 'ShippingItems', 'none') },
  { name: 'by-id: IsDeleted is a text', fails: ['by-id-types'], fault: field('by-id', 'IsDeleted', 'no') },
  { name: 'paged: no CreatedBy', fails: ['paged-fields'], fault: field('paged', 'CreatedBy', undefined) },
  { name: 'details: no TotalWeight', fails: ['details-fields'], fault: field('details', 'TotalWeight', undefined) },
  { name: 'single: no ShippingAddress', fails: ['single-fields'], fault: field('single', 'ShippingAddress', undefined) },
  { name: 'by-id: no CreatedBy', fails: ['by-id-fields'], fault: field('by-id', 'CreatedBy', undefined) },
]; // prettier-ignore

const FILTERS: readonly FaultRow[] = LISTS.flatMap((list) => [
  { name: `${list}: OrderId ignored`, fails: [`${list}-order-id`], fault: ignores(list, 'OrderId') },
  { name: `${list}: Status ignored`, fails: [`${list}-status`], fault: ignores(list, 'Status') },
  { name: `${list}: SearchTerm ignored`, fails: [`${list}-search-term`], fault: ignores(list, 'SearchTerm') },
  { name: `${list}: FromDate ignored`, fails: [`${list}-from-date`], fault: ignores(list, 'FromDate') },
  { name: `${list}: ToDate ignored`, fails: [`${list}-to-date`], fault: ignores(list, 'ToDate') },
  {
    name: `${list}: Status finds nothing`,
    fails: [`${list}-status`],
    fault: reply(list, (sent, { query }) => {
      if (query.has('Status')) emptyList(sent);
    }),
  },
  {
    name: `${list}: OrderId finds nothing`,
    fails: [`${list}-order-id`],
    fault: reply(list, (sent, { query }) => {
      if (query.has('OrderId')) emptyList(sent);
    }),
  },
  {
    name: `${list}: addresses are not searched`,
    fails: [`${list}-search-term`],
    fault: reply(list, (sent, { query }) => {
      if (query.has('SearchTerm') && !isTracking(query.get('SearchTerm'))) emptyList(sent);
    }),
  },
  {
    name: `${list}: tracking numbers are not searched`,
    fails: [`${list}-search-term`],
    fault: reply(list, (sent, { query }) => {
      if (isTracking(query.get('SearchTerm'))) emptyList(sent);
    }),
  },
  {
    name: `${list}: FromDate is not included`,
    fails: [`${list}-from-date`],
    fault: request(list, ({ query }) => {
      shift(query, 'FromDate', 1);
    }),
  },
  {
    name: `${list}: ToDate is not included`,
    fails: [`${list}-to-date`],
    fault: request(list, ({ query }) => {
      shift(query, 'ToDate', -1);
    }),
  },
  {
    name: `${list}: 404 where no record matches`,
    fails: [`${list}-no-match`],
    fault: reply(list, (sent, { query }) => {
      if (isUnknown(query.get('OrderId'))) replace(sent, 404, {});
    }),
  },
]);

const LOOKUPS: readonly FaultRow[] = [
  { name: 'identifiers that the pattern refuses', fails: ['identifiers'], fault: {}, env: { SHIPPING_ID_PATTERN: '[0-9]+' } },
  { name: 'by-id: another record', fails: ['by-id-record'], fault: field('by-id', 'Id', 'SHP-OTHER') },
  { name: 'by-id: other values than in the list', fails: ['by-id-record'], fault: field('by-id', 'TotalWeight', 9999) },
  { name: 'single: another Id', fails: ['single-id'], fault: single('Id', 'Id', 'SHP-OTHER') },
  { name: 'single: another OrderId', fails: ['single-order-id'], fault: single('OrderId', 'OrderId', 'ORD-OTHER') },
  { name: 'single: another TrackingNumber', fails: ['single-tracking-number'], fault: single('TrackingNumber', 'TrackingNumber', 'X') },
  { name: 'single: an older record', fails: ['single-newest'], fault: single('OrderId', 'CreatedDate', '2001-01-01T00:00:00Z') },
  { name: 'single: not the smallest Id', fails: ['single-newest'], fault: single('OrderId', 'Id', 'SHP-999998') },
  { name: 'single: Status ignored', fails: ['single-criteria'], fault: ignores('single', 'Status') },
  { name: 'single: FromDate ignored', fails: ['single-criteria'], fault: ignores('single', 'FromDate') },
  { name: 'single: ToDate ignored', fails: ['single-criteria'], fault: ignores('single', 'ToDate') },
  ...(['by-id', 'single'] as const).flatMap((operation) => [
    { name: `${operation}: 500 for no match`, fails: [`${operation}-not-found`], fault: notFound(operation, 500, {}) },
    { name: `${operation}: an empty 200 for no match`, fails: [`${operation}-not-found`], fault: notFound(operation, 200, '') },
    { name: `${operation}: an empty object for no match`, fails: [`${operation}-not-found`], fault: notFound(operation, 200, {}) },
    { name: `${operation}: some record for no match`, fails: [`${operation}-not-found`], fault: notFound(operation, 200, { Id: 'SHP-1' }) },
  ]),
  { name: 'by-id: the path is decoded before it is split', fails: ['by-id-encoding'], fault: decodesTooEarly('/') },
  { name: 'by-id: the identifier ends at a question mark', fails: ['by-id-encoding'], fault: decodesTooEarly('?') },
  { name: 'by-id: the identifier ends at a number sign', fails: ['by-id-encoding'], fault: decodesTooEarly('#') },
]; // prettier-ignore

/** Gives a field of the record another value where a criterion is given. */
function single(criterion: string, name: string, value: string): Fault {
  return reply('single', ({ status, body }, { query }) => {
    if (status === 200 && query.has(criterion)) (body as WireRecord)[name] = value;
  });
}

/** Special characters still get 404, so that they are another matter. */
function notFound(operation: string, status: number, body: unknown): Fault {
  return reply(operation, (sent, { id, query }) => {
    if (sent.status !== 404 || /[^\w-]/.test(id) || query.has('Status') || query.toString().includes('Date')) return;
    replace(sent, status, body);
  });
}

function decodesTooEarly(end: string): Fault {
  return reply('by-id', (sent, { id }) => {
    if (id.includes(end)) replace(sent, 200, { Id: id.split(end)[0] });
  });
}

const PAGES: readonly FaultRow[] = [
  {
    name: 'PageSize ignored',
    fails: ['page-size'],
    fault: request('paged', ({ query }) => {
      query.set('PageSize', '10');
    }),
  },
  {
    name: 'pages of 60 records at most',
    fails: ['page-size'],
    fault: request('paged', ({ query }) => {
      query.set('PageSize', String(Math.min(60, Number(query.get('PageSize')))));
    }),
  },
  { name: 'PageNumber counts from 0', fails: ['page-values'], fault: values(({ PageNumber }) => ({ PageNumber: PageNumber - 1 })) },
  { name: 'PageSize one too high', fails: ['page-values'], fault: values(({ PageSize }) => ({ PageSize: PageSize + 1 })) },
  { name: 'TotalPages rounded wrongly', fails: ['page-values'], fault: values(({ TotalPages }) => ({ TotalPages: TotalPages + 1 })) },
  { name: 'HasPreviousPage always', fails: ['page-values'], fault: values(() => ({ HasPreviousPage: true })) },
  { name: 'HasNextPage always', fails: ['page-values'], fault: values(() => ({ HasNextPage: true })) },
  { name: 'HasNextPage never', fails: ['page-values'], fault: values(() => ({ HasNextPage: false })) },
  {
    name: 'a page begins with the last record of the one before',
    fails: ['page-overlap'],
    fault: page(async (body, { query, sandbox }) => {
      if (query.get('PageNumber') !== '2' || query.get('SortBy') !== 'CreatedDate') return;
      const before = await sandbox({ ...Object.fromEntries(query), PageNumber: '1' });
      body.Items = [...before.Items.slice(-1), ...body.Items.slice(0, -1)];
    }),
  },
  {
    name: 'a page begins one record late',
    fails: ['page-gaps'],
    fault: page(async (body, { query, sandbox }) => {
      if (query.get('PageNumber') !== '2' || query.get('SortBy') !== 'CreatedDate') return;
      const after = await sandbox({ ...Object.fromEntries(query), PageNumber: '9' });
      body.Items = [...body.Items.slice(1), ...after.Items.slice(0, 1)];
    }),
  },
  { name: 'TotalCount one too high', fails: ['page-total'], fault: values((body) => recount(body, body.TotalCount + 1)) },
  { name: 'TotalCount one too low', fails: ['page-total'], fault: values((body) => recount(body, body.TotalCount - 1)) },
  {
    name: 'TotalCount ignores filters',
    fails: ['page-total-filtered'],
    fault: page((body, { query }) => {
      if (query.has('OrderId')) body.TotalCount += 20;
    }),
  },
  {
    name: '404 beyond the last page',
    fails: ['page-beyond'],
    fault: reply('paged', (sent) => {
      const { PageNumber, TotalPages } = sent.body as WirePage;
      if (PageNumber > TotalPages && PageNumber > 1) replace(sent, 404, {});
    }),
  },
  {
    name: 'the last page instead of one beyond it',
    fails: ['page-beyond'],
    fault: page(async (body, { query, sandbox }) => {
      if (body.Items.length > 0 || body.PageNumber === 1) return;
      Object.assign(body, await sandbox({ ...Object.fromEntries(query), PageNumber: String(body.TotalPages) }));
    }),
  },
  { name: 'Limit ignored', fails: ['limit'], fault: ignores('details', 'Limit') },
  {
    name: 'Limit one too low',
    fails: ['limit'],
    fault: reply('details', ({ body }, { query }) => {
      if (Number(query.get('Limit')) < 10) recordsOf(body).pop();
    }),
  },
]; // prettier-ignore

function recount({ TotalCount, PageSize, PageNumber }: WirePage, total: number): Partial<WirePage> {
  const TotalPages = Math.ceil(total / PageSize);
  return TotalCount < 10 ? {} : { TotalCount: total, TotalPages, HasNextPage: PageNumber < TotalPages };
}

const SORTING: readonly FaultRow[] = [
  ...(['CreatedDate', 'TrackingNumber'] as const).flatMap((key) => {
    const id = key === 'CreatedDate' ? 'sort-created-date' : 'sort-tracking-number';
    return [
      { name: `${key} asc is desc`, fails: [`${id}-asc`], fault: sortsWrongly(key, 'asc', { SortDirection: 'desc' }) },
      { name: `${key} desc is asc`, fails: [`${id}-desc`], fault: sortsWrongly(key, 'desc', { SortDirection: 'asc' }) },
      { name: `${key} asc ignored`, fails: [`${id}-asc`], fault: sortsWrongly(key, 'asc', { SortBy: 'Status' }) },
      { name: `${key} desc ignored`, fails: [`${id}-desc`], fault: sortsWrongly(key, 'desc', { SortBy: 'Status' }) },
    ];
  }),
  { name: 'Status asc ignored', fails: ['sort-status-asc'], fault: sortsWrongly('Status', 'asc', { SortBy: 'CreatedDate' }) },
  { name: 'Status desc ignored', fails: ['sort-status-desc'], fault: sortsWrongly('Status', 'desc', { SortBy: 'CreatedDate' }) },
  { name: 'Status desc is asc', fails: ['sort-status-desc'], fault: sortsWrongly('Status', 'desc', { SortDirection: 'asc' }) },
  {
    name: 'each page is sorted on its own',
    fails: ['sort-tracking-number-asc'],
    fault: page(async (body, { query, sandbox }) => {
      if (query.get('SortBy') !== 'TrackingNumber' || query.get('SortDirection') !== 'asc') return;
      const { Items } = await sandbox({ ...Object.fromEntries(query), SortBy: 'CreatedDate' });
      body.Items = Items.sort((a, b) => (String(a.TrackingNumber) < String(b.TrackingNumber) ? -1 : 1));
    }),
  },
  {
    name: 'the order of ties changes with each request',
    fails: ['sort-ties'],
    fault: page((body, { query, number }) => {
      if (query.get('SortBy') === 'Status' && number % 2 === 0) body.Items.unshift(...body.Items.splice(1, 1));
    }),
  },
]; // prettier-ignore

const LOAD: readonly FaultRow[] = [
  {
    name: 'a connection for each request',
    fails: ['keep-alive'],
    fault: {
      reply: ({ headers }) => {
        headers.connection = 'close';
      },
    },
  },
  {
    name: '503 for requests at the same time',
    fails: ['parallel'],
    fault: {
      overlaps: true,
      reply: (sent, { active }) => {
        if (active > 1) replace(sent, 503, {});
      },
    },
  },
  {
    name: 'other results for requests at the same time',
    fails: ['parallel'],
    fault: {
      overlaps: true,
      ...page((body, { active }) => {
        if (active > 1) body.Items.reverse();
      }),
    },
  },
  {
    name: 'an encoding that nobody decodes',
    fails: ['compression'],
    fault: reply('by-id', (sent) => {
      if (sent.status === 404) sent.headers['content-encoding'] = 'compress';
    }),
  },
  {
    name: 'no response',
    fails: ['by-id-not-found', 'response-time'],
    fault: reply('by-id', async ({ status }) => {
      if (status === 404) await new Promise(() => undefined);
    }),
    env: { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '3000' },
  },
  {
    name: 'a list beyond the size limit',
    fails: ['body-size', 'page-size'],
    fault: {},
    env: { EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '25000' },
  },
];

/** Every fault. */
export const FAULTS: readonly FaultRow[] = [...BODIES, ...TYPES, ...FILTERS, ...LOOKUPS, ...PAGES, ...SORTING, ...LOAD];
