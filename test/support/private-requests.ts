import { json, status } from './upstream/responses';
import { badJson } from './upstream/body-faults';
import type { Behaviour } from './upstream/exchange';
import { anyReply, wireRecord } from './upstream/records';

/** Part of everything that a client says in these tests and that nobody else may read. */
export const PRIVATE = 'zq7private';
const odd = wireRecord({ TotalWeight: 'heavy' });

export interface Told {
  readonly route: string;
  readonly status: number;
  readonly completeness?: string;
}

/** A request full of what is private, and what the log may say of it. */
export type Row = readonly [name: string, path: string, told: Told, behaviour?: Behaviour, method?: string];

export const TEMPLATES = {
  single: '/api/Shipping/GetShippingSingle',
  byId: '/api/Shipping/GetShippingInfoById/:id',
  details: '/api/Shipping/GetShippingDetails',
  paged: '/api/Shipping/GetShippingPagedList',
};
const complete = 'complete';
export const ROWS: readonly Row[] = [
  [
    'single',
    `${TEMPLATES.single}?Id=${PRIVATE}&OrderId=${PRIVATE}&TrackingNumber=${PRIVATE}`,
    { route: TEMPLATES.single, status: 200, completeness: complete },
  ],
  [
    'by id',
    `/api/Shipping/GetShippingInfoById/${PRIVATE}`,
    { route: TEMPLATES.byId, status: 200, completeness: complete },
  ],
  [
    'details',
    `${TEMPLATES.details}?SearchTerm=${PRIVATE}&OrderId=${PRIVATE}`,
    { route: TEMPLATES.details, status: 200, completeness: complete },
  ],
  [
    'paged',
    `${TEMPLATES.paged}?SearchTerm=${PRIVATE}&SortBy=${PRIVATE}`,
    { route: TEMPLATES.paged, status: 200, completeness: complete },
  ],
  [
    'another case',
    `/API/SHIPPING/GETSHIPPINGDETAILS/?searchterm=${PRIVATE}`,
    { route: TEMPLATES.details, status: 200, completeness: complete },
  ],
  [
    'a partial list',
    `${TEMPLATES.details}?SearchTerm=${PRIVATE}`,
    { route: TEMPLATES.details, status: 200, completeness: 'partial;reason=bad-reply' },
    json(anyReply({ ShippingDetails: [odd] })),
  ],
  [
    'an unavailable list',
    `${TEMPLATES.paged}?SearchTerm=${PRIVATE}`,
    { route: TEMPLATES.paged, status: 200, completeness: 'unavailable;reason=upstream-error' },
    status(500),
  ],
  [
    'a bad reply',
    `${TEMPLATES.details}?OrderId=${PRIVATE}`,
    { route: TEMPLATES.details, status: 200, completeness: 'unavailable;reason=bad-reply' },
    badJson(),
  ],
  ['no match', `/api/Shipping/GetShippingInfoById/${PRIVATE}`, { route: TEMPLATES.byId, status: 404 }, status(404)],
  [
    'a failed lookup',
    `${TEMPLATES.single}?TrackingNumber=${PRIVATE}`,
    { route: TEMPLATES.single, status: 500 },
    status(503),
  ],
  ['a bad identifier', `/api/Shipping/GetShippingInfoById/-${PRIVATE}`, { route: TEMPLATES.byId, status: 400 }],
  [
    'a malformed identifier',
    `/api/Shipping/GetShippingInfoById/${PRIVATE}%zz`,
    { route: expect.any(String), status: 400 },
  ],
  ['a bad status', `${TEMPLATES.details}?Status=${PRIVATE}`, { route: TEMPLATES.details, status: 400 }],
  ['a bad date', `${TEMPLATES.details}?FromDate=${PRIVATE}`, { route: TEMPLATES.details, status: 400 }],
  ['a bad limit', `${TEMPLATES.details}?Limit=${PRIVATE}`, { route: TEMPLATES.details, status: 400 }],
  ['a long search', `${TEMPLATES.details}?SearchTerm=${PRIVATE.repeat(30)}`, { route: TEMPLATES.details, status: 400 }],
  [
    'a duplicate',
    `${TEMPLATES.details}?OrderId=${PRIVATE}&OrderId=${PRIVATE}`,
    { route: TEMPLATES.details, status: 400 },
  ],
  ['a control character', `${TEMPLATES.details}?SearchTerm=${PRIVATE}%00`, { route: TEMPLATES.details, status: 400 }],
  ['a malformed query', `${TEMPLATES.details}?SearchTerm=${PRIVATE}%zz`, { route: TEMPLATES.details, status: 400 }],
  ['a malformed name', `${TEMPLATES.paged}?${PRIVATE}%ff=1`, { route: TEMPLATES.paged, status: 400 }],
  ['a bad page number', `${TEMPLATES.paged}?PageNumber=${PRIVATE}`, { route: TEMPLATES.paged, status: 400 }],
  ['no criteria', `${TEMPLATES.single}?${PRIVATE}=1`, { route: TEMPLATES.single, status: 400 }],
  ['an unexpected path', `/api/Shipping/${PRIVATE}`, { route: expect.not.stringContaining(PRIVATE), status: 404 }],
  [
    'an unexpected path below a route',
    `/api/Shipping/GetShippingInfoById/${PRIVATE}/${PRIVATE}`,
    { route: expect.any(String), status: 404 },
  ],
  [
    'an unexpected path elsewhere',
    `/${PRIVATE}/${PRIVATE}.php?${PRIVATE}=${PRIVATE}`,
    { route: expect.any(String), status: 404 },
  ],
  ['a malformed path', `/${PRIVATE}%zz`, { route: expect.any(String), status: expect.any(Number) as number }],
  [
    'another method',
    `${TEMPLATES.details}?SearchTerm=${PRIVATE}`,
    { route: expect.any(String), status: 405 },
    undefined,
    'DELETE',
  ],
  [
    'HEAD',
    `${TEMPLATES.details}?SearchTerm=${PRIVATE}`,
    { route: TEMPLATES.details, status: 200, completeness: complete },
    undefined,
    'HEAD',
  ],
  ['liveness', `/health/live?x=${PRIVATE}`, { route: '/health/live', status: 200 }],
  ['metrics', `/metrics?x=${PRIVATE}`, { route: '/metrics', status: 200 }],
];

/** Headers that a client might say private things in. */
export const PRIVATE_HEADERS: Readonly<Record<string, string>> = {
  'User-Agent': PRIVATE,
  Referer: `https://app.example/${PRIVATE}`,
  Authorization: `Bearer ${PRIVATE}`,
  'X-API-Key': PRIVATE,
  Cookie: PRIVATE,
  Origin: `https://${PRIVATE}.example`,
  'X-Forwarded-For': PRIVATE,
  Forwarded: `for=${PRIVATE}`,
  'Accept-Language': PRIVATE,
  'If-None-Match': `"${PRIVATE}"`,
  tracestate: `vendor=${PRIVATE}`,
  baggage: `search=${PRIVATE}`,
  [PRIVATE]: PRIVATE,
};
