import type { SharedBody } from '../../http/bodies/shared-body';
import type { QueryResult } from './query-result';
import type { PagedShippingList } from './response-bodies';

/** The values of a page from which its links are made. */
export type PageLinks = Pick<PagedShippingList, 'pageNumber' | 'totalPages' | 'hasPreviousPage' | 'hasNextPage'>;

/** The body of a result that many clients get, as it is sent. */
export interface SharedJson {
  readonly body: SharedBody;
  /** Only a page has them. */
  readonly links?: PageLinks;
}

const unread = new WeakMap<QueryResult<unknown>, SharedJson>();

/**
 * A result whose body many clients get. Code that reads `body` gets a copy of its own, parsed when it is read for the
 * first time, so that no change reaches another client (D74). Where no code has read it, it is sent as it is stored.
 */
export function sharedResult<Body>(json: SharedJson, facts: Omit<QueryResult<Body>, 'body'>): QueryResult<Body> {
  let copy: Body | undefined;
  const result: QueryResult<Body> = {
    get body() {
      unread.delete(result);
      return (copy ??= JSON.parse(json.body.json.toString()) as Body);
    },
    ...facts,
  };
  unread.set(result, json);
  return result;
}

/** The shared body of a result; `undefined` where the result has a body of its own, or code has read it. */
export function unreadBodyOf(result: QueryResult<unknown>): SharedJson | undefined {
  return unread.get(result);
}

/** What the links of a page need of a body; `undefined` where the body is no page. */
export function linksOf(body: unknown): PageLinks | undefined {
  if (typeof body !== 'object' || body === null || !('totalPages' in body)) return undefined;
  const { pageNumber, totalPages, hasPreviousPage, hasNextPage } = body as PagedShippingList;
  return { pageNumber, totalPages, hasPreviousPage, hasNextPage };
}
