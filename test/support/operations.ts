// What tests share about the four operations and their requests.

/** An operation with a valid request. */
export interface Operation {
  readonly name: string;
  /** A valid request: what follows `/api/Shipping/`. */
  readonly request: string;
  /** The path of the upstream request that this request leads to. */
  readonly externalPath: string;
  /** The name of its calls in log lines, metrics and spans. */
  readonly call: string;
  /** The kind of its response. */
  readonly body: 'record' | 'list' | 'page';
  /** Whether the operation is a single lookup, which returns one record or 404; the others return lists. */
  readonly single: boolean;
}

function operation(request: string, externalPath: string, body: Operation['body']): Operation {
  const [, , call = ''] = externalPath.split('/');
  return { name: request.replace(/[/?].*/, ''), request, externalPath, call, body, single: body === 'record' };
}

export const SINGLE = operation('GetShippingSingle?Id=SHP-1', '/shippings/single', 'record');
export const BY_ID = operation('GetShippingInfoById/SHP-1', '/shippings/by-id/SHP-1', 'record');
export const DETAILS = operation('GetShippingDetails?Limit=50', '/shippings/details', 'list');
export const PAGED = operation('GetShippingPagedList?PageNumber=1&PageSize=7', '/shippings/paged', 'page');

export const OPERATIONS: readonly Operation[] = [SINGLE, BY_ID, DETAILS, PAGED];
export const SINGLES: readonly Operation[] = [SINGLE, BY_ID];

/** The header of clients that prefer failures to degraded responses (D21). */
export const STRICT = { Prefer: 'handling=strict' };

/** Rows for `it.each`: each row for each operation, between the name of the operation and the operation itself. */
export function rowsFor<const Row extends readonly unknown[]>(
  operations: readonly Operation[],
  rows: readonly Row[],
): (readonly [name: string, ...Row, Operation])[] {
  return operations.flatMap((operation) => rows.map((row) => [operation.name, ...row, operation] as const));
}

/** Adds parameters to a request that may have some already. */
export function withQuery(request: string, query: string): string {
  return `${request}${request.includes('?') ? '&' : '?'}${query}`;
}
