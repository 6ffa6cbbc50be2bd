import type { Behaviour } from '../../testing/upstream/exchange';
import { wireBody, wireRecord } from '../../testing/upstream/records';
import { json, status } from '../../testing/upstream/responses';

/**
 * A text in every value that a client sends in these tests: it must not appear in logs, metrics or spans (D39, D79).
 */
export const PRIVATE = 'zq7private';

/** A request with private values, and what its log line may contain instead of them. */
interface PrivateRequest {
  readonly path: string;
  readonly method?: string;
  /** What the external system does; by default it sends a valid response. */
  readonly behaviour?: Behaviour;
  readonly route: string;
  readonly status: number;
  readonly completeness?: string;
}

export const FORWARDING = { FORWARD_HEADERS: 'X-Tenant-Id' };

const single = '/api/Shipping/GetShippingSingle';
const byId = '/api/Shipping/GetShippingInfoById/:id';
const details = '/api/Shipping/GetShippingDetails';
const paged = '/api/Shipping/GetShippingPagedList';
const lookUp = byId.replace(':id', PRIVATE);
const search = `${details}?SearchTerm=${PRIVATE}`;
const partial = json(wireBody({ ShippingDetails: [wireRecord({ TotalWeight: 'heavy' })] }));
const [complete, failed] = ['complete', 'unavailable;reason=upstream-error'];

export const PRIVATE_REQUESTS: readonly PrivateRequest[] = [
  { path: `${single}?Id=${PRIVATE}&TrackingNumber=${PRIVATE}`, route: single, status: 200, completeness: complete },
  { path: lookUp, route: byId, status: 200, completeness: complete },
  { path: `${search}&OrderId=${PRIVATE}`, route: details, status: 200, completeness: complete },
  { path: `${paged}?SortBy=${PRIVATE}&${PRIVATE}=1`, route: paged, status: 200, completeness: complete },
  { path: search.toUpperCase(), route: details, status: 200, completeness: complete },
  { path: search, method: 'HEAD', route: details, status: 200, completeness: complete },
  { path: search, behaviour: partial, route: details, status: 200, completeness: 'partial;reason=bad-reply' },
  { path: search, behaviour: status(500), route: details, status: 200, completeness: failed },
  { path: lookUp, behaviour: status(404), route: byId, status: 404 },
  { path: lookUp, behaviour: status(503), route: byId, status: 500 },
  { path: `${lookUp}%20`, route: byId, status: 400 },
  { path: `${lookUp}%zz`, route: 'unmatched', status: 400 },
  { path: `${details}?FromDate=${PRIVATE}`, route: details, status: 400 },
  { path: `${search}%zz`, route: details, status: 400 },
  { path: `${paged}?${PRIVATE}%ff=1`, route: paged, status: 400 },
  { path: `${paged}?PageNumber=${PRIVATE}`, route: paged, status: 400 },
  { path: `${single}?${PRIVATE}=1`, route: single, status: 400 },
  { path: `${lookUp}/${PRIVATE}`, route: 'unmatched', status: 404 },
  { path: `/${PRIVATE}.php?${PRIVATE}=${PRIVATE}`, route: 'unmatched', status: 404 },
  { path: search, method: 'DELETE', route: details, status: 405 },
  { path: `/health/live?x=${PRIVATE}`, route: '/health/live', status: 200 },
  { path: `/metrics?x=${PRIVATE}`, route: '/metrics', status: 200 },
];

/** Headers in which a client may send private values; the service forwards the last one. */
export const PRIVATE_HEADERS: Readonly<Record<string, string>> = {
  'User-Agent': PRIVATE,
  Referer: `https://app.example/${PRIVATE}`,
  Authorization: `Bearer ${PRIVATE}`,
  'X-API-Key': PRIVATE,
  Cookie: PRIVATE,
  Origin: `https://${PRIVATE}.example`,
  'X-Forwarded-For': PRIVATE,
  Forwarded: `for=${PRIVATE}`,
  'If-None-Match': `"${PRIVATE}"`,
  tracestate: `vendor=${PRIVATE}`,
  baggage: `search=${PRIVATE}`,
  [PRIVATE]: PRIVATE,
  'X-Tenant-Id': PRIVATE,
};
