import { type ExternalDetail, type ExternalPage, toDetail, toPage } from './servers/mapping';

/** A kind of request, with so many clients. */
export interface Case {
  readonly title: string;
  readonly connections: number;
  /** Path of the next request; no two are alike, so that sharing and caching cannot flatter. */
  readonly nextPath: () => string;
  /** Where the external system has the reply that is asked for. */
  readonly externalPath: string;
  /** The only right response to that reply. */
  readonly responseTo: (reply: unknown) => object;
}

let requests = 0;

/** Pages of ten and of 100 records, a lookup, and many clients. */
export const CASES: readonly Case[] = [
  page(10, 32),
  page(100, 32),
  {
    title: 'lookup by id, 32 clients',
    connections: 32,
    nextPath: () => `/api/Shipping/GetShippingInfoById/SHP-${++requests}`,
    externalPath: '/shippings/by-id/SHP-7',
    responseTo: (reply) => toDetail(reply as ExternalDetail),
  },
  page(10, 512),
];

function page(size: number, connections: number): Case {
  return {
    title: `page of ${size}, ${connections} clients`,
    connections,
    nextPath: () => `/api/Shipping/GetShippingPagedList?PageNumber=${++requests}&PageSize=${size}`,
    externalPath: `/shippings/paged?PageSize=${size}`,
    responseTo: (reply) => toPage(reply as ExternalPage),
  };
}
