import { expectedDetail, expectedLookupItems, expectedPage } from './reference';

/** A kind of request. */
export interface Case {
  readonly title: string;
  /** Path of the next request; no two are alike, so that sharing and caching cannot flatter. */
  readonly nextPath: () => string;
  /** Where the external system has the reply that is asked for. */
  readonly externalPath: string;
  /** The only right response to that upstream response. */
  readonly responseTo: (reply: string) => string;
  /** What the service has to say in `Shipping-Completeness`. */
  readonly completeness: string;
}

const OPERATIONS = '/api/Shipping';

let requests = 0;

/** @param padding by how many characters every address is longer */
export function paged(size: number, padding = 0): Case {
  const search = padding === 0 ? '' : `&SearchTerm=payload-${padding}`;
  return {
    title: `page of ${size}`,
    nextPath: () => `${OPERATIONS}/GetShippingPagedList?PageNumber=${++requests}&PageSize=${size}${search}`,
    externalPath: `/shippings/paged?PageSize=${size}${search}`,
    responseTo: expectedPage,
    completeness: 'complete',
  };
}

export function unpaged(limit: number): Case {
  return {
    title: `unpaged list of ${limit}`,
    nextPath: () => `${OPERATIONS}/GetShippingDetails?SearchTerm=term-${++requests}&Limit=${limit}`,
    externalPath: `/shippings/details?Limit=${limit}`,
    responseTo: expectedLookupItems,
    // As many records as were asked for: there may be more.
    completeness: `complete;limit=${limit}`,
  };
}

export const BY_ID: Case = {
  title: 'by id',
  nextPath: () => `${OPERATIONS}/GetShippingInfoById/SHP-${++requests}`,
  externalPath: '/shippings/by-id/SHP-7',
  responseTo: expectedDetail,
  completeness: 'complete',
};

/** Everybody asks for the same page: calls in flight may be shared. */
export const IDENTICAL: Case = {
  ...paged(10),
  title: 'identical requests, page of 10',
  nextPath: () => `${OPERATIONS}/GetShippingPagedList?PageSize=10`,
};

/** The specified response to a page of ten where the external system fails; it echoes the page number. */
export function isEmptyPage(body: string): boolean {
  return (
    body.startsWith('{"items":[],"totalCount":0,"pageNumber":') &&
    body.endsWith(',"pageSize":10,"totalPages":0,"hasPreviousPage":false,"hasNextPage":false}')
  );
}
