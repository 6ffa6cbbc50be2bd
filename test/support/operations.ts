/** An operation: a sound request for it, and what it asks of the external system by default. */
export interface Operation {
  readonly name: string;
  /** A sound request, by what follows `/api/Shipping/`; it has a query string or can take one. */
  readonly request: string;
  /** The path at the external system that this request leads to. */
  readonly externalPath: string;
  /** Single lookups answer with one record or 404, the others with lists. */
  readonly single: boolean;
  /** What it answers with. */
  readonly body: 'record' | 'list' | 'page';
}

export const SINGLE: Operation = {
  name: 'GetShippingSingle',
  request: 'GetShippingSingle?Id=SHP-1',
  externalPath: '/shippings/single',
  single: true,
  body: 'record',
};

export const BY_ID: Operation = {
  name: 'GetShippingInfoById',
  request: 'GetShippingInfoById/SHP-1',
  externalPath: '/shippings/by-id/SHP-1',
  single: true,
  body: 'record',
};

export const DETAILS: Operation = {
  name: 'GetShippingDetails',
  request: 'GetShippingDetails?Limit=50',
  externalPath: '/shippings/details',
  single: false,
  body: 'list',
};

export const PAGED: Operation = {
  name: 'GetShippingPagedList',
  request: 'GetShippingPagedList?PageNumber=3&PageSize=7',
  externalPath: '/shippings/paged',
  single: false,
  body: 'page',
};

export const OPERATIONS: readonly Operation[] = [SINGLE, BY_ID, DETAILS, PAGED];
export const LISTS: readonly Operation[] = [DETAILS, PAGED];
export const SINGLES: readonly Operation[] = [SINGLE, BY_ID];

/** Header of clients who would rather see a failure than a degraded response. */
export const STRICT = { Prefer: 'handling=strict' };

/** Adds parameters to a request that may have some already. */
export function withQuery(request: string, query: string): string {
  return `${request}${request.includes('?') ? '&' : '?'}${query}`;
}

/** The parameters of the only call the upstream received, decoded, as [name, value] sorted by name. */
export function sentParameters({
  calls,
}: {
  readonly calls: readonly { readonly params: URLSearchParams }[];
}): [string, string][] {
  expect(calls).toHaveLength(1);
  return [...(calls[0]?.params ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Parameters as {@link sentParameters} gives them. */
export function parameters(expected: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(expected).sort(([left], [right]) => (left < right ? -1 : 1));
}
