import type { HttpResponse } from './http-client';

// What tests share about the four operations: requests, settings of services that wait, and assertions about responses.

/** An operation with a valid request. */
export interface Operation {
  readonly name: string;
  /** A valid request: what follows `/api/Shipping/`. */
  readonly request: string;
  /** The path of the upstream request that this request leads to. */
  readonly externalPath: string;
  /** The kind of its response. */
  readonly body: 'record' | 'list' | 'page';
  /** Whether the operation is a single lookup, which returns one record or 404; the others return lists. */
  readonly single: boolean;
}

function operation(request: string, externalPath: string, body: Operation['body']): Operation {
  return { name: request.replace(/[/?].*/, ''), request, externalPath, body, single: body === 'record' };
}

export const SINGLE = operation('GetShippingSingle?Id=SHP-1', '/shippings/single', 'record');
export const BY_ID = operation('GetShippingInfoById/SHP-1', '/shippings/by-id/SHP-1', 'record');
export const DETAILS = operation('GetShippingDetails?Limit=50', '/shippings/details', 'list');
export const PAGED = operation('GetShippingPagedList?PageNumber=3&PageSize=7', '/shippings/paged', 'page');

export const OPERATIONS: readonly Operation[] = [SINGLE, BY_ID, DETAILS, PAGED];
export const LISTS: readonly Operation[] = [DETAILS, PAGED];
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

interface Sent {
  readonly params: URLSearchParams;
}

/** The parameters of the only call that the upstream has received, decoded, as [name, value] sorted by name. */
export function sentParameters({ calls }: { readonly calls: readonly Sent[] }): [string, string][] {
  expect(calls).toHaveLength(1);
  return [...(calls[0]?.params ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Expected parameters in the form that {@link sentParameters} returns. */
export function parameters(expected: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(expected).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Settings with deadlines that no test reaches, however slow the machine is. */
export const PATIENT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '50000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50000' };
/** The same, without retries. */
export const ONCE = { ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };

/**
 * The deadline of an attempt with the settings below. No other timer has this length, so that tests can end it: a new
 * connection has four fifths of an attempt, which are 36 s here and 40 s with {@link PATIENT}.
 */
export const ATTEMPT_MS = 45_000;
export const ONE_HELD_ATTEMPT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '50000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS),
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
};

export const PAGE_NUMBER_MESSAGE = 'Page number must be greater than 0';
export const PAGE_SIZE_MESSAGE = 'Page size must be between 1 and 100';

/** The reasons of failures, in the order of the contract (D20). */
export const REASONS: readonly string[] = [
  ...['upstream-timeout', 'upstream-unreachable', 'upstream-error', 'bad-reply'],
  ...['circuit-open', 'saturated', 'internal'],
];
const ANY_REASON = REASONS.join('|');
const COMPLETENESS = new RegExp(
  `^(complete(;limit=[1-9][0-9]*)?|partial;reason=bad-reply(;dropped=[1-9][0-9]*)?|(stale|unavailable);reason=(${ANY_REASON}))$`,
);
export const VALID_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** What no error may show of the inside of the service or of the external system (D15). */
const LEAKS = [
  /127\.0\.0\.1|localhost/i, // a host
  /shippings\//i, // a path of the external system
  /^\s*at .+:\d+/m, // a stack
  /node_modules|\.[jt]s\b|ECONN|ETIMEDOUT|undici|axios|Error:/, // the inside of the service
  /hidden-credential/i, // what suites set as EXTERNAL_SHIPPING_TOKEN
];

/** `Shipping-Completeness` without the count of dropped records. */
export function completenessOf({ headers }: HttpResponse): string | undefined {
  const value = headers['shipping-completeness'] as string | undefined;
  return value?.replace(/;dropped=[0-9]+$/, '');
}

/** The parameters of the one member of `Cache-Status`. */
export const cacheStatusOf = ({ headers }: HttpResponse): string =>
  String(headers['cache-status']).replace(/^shipping-query-service; /, '');

/** Expects a 200 of an operation, with this completeness where given; `send` compares its body with the document. */
export function expectResponse(response: HttpResponse, completeness?: string): void {
  expect({ status: response.status, type: response.headers['content-type'] }).toEqual({
    status: 200,
    type: expect.stringMatching(/^application\/json; ?charset=utf-8$/i),
  });
  expectCommonHeaders(response);
  expect(response.headers['shipping-completeness']).toMatch(COMPLETENESS);
  if (completeness !== undefined) expect(completenessOf(response)).toBe(completeness);
  const isComplete = /^complete(;|$)/.test(String(response.headers['shipping-completeness']));
  if (isComplete) expect(response.headers['cache-control'] ?? '').not.toContain('no-store');
  else expectNoStore(response);
}

/** Expects a degraded list: it is empty, and its headers distinguish it from a list without records. */
export function expectUnavailable(operation: Operation, response: HttpResponse, reason: string): void {
  expectResponse(response, `unavailable;reason=${reason}`);
  expect(response.headers.link).toBeUndefined();
  // Number and size of the page are those of the `request` of the operation.
  const paging = { totalCount: 0, pageNumber: 3, pageSize: 7, totalPages: 0 };
  const page = { items: [], ...paging, hasPreviousPage: false, hasNextPage: false };
  expect(response.json()).toEqual(operation.body === 'list' ? [] : page);
}

/** Expects an error as problem+json with all that is documented, and without anything that must not be shown. */
export function expectProblem(response: HttpResponse, status: number, code?: string): void {
  expect({ status: response.status, type: response.headers['content-type'], body: response.body }).toEqual({
    status,
    type: expect.stringMatching(/^application\/problem\+json(; ?charset=utf-8)?$/),
    body: expect.any(String),
  });
  expectCommonHeaders(response);
  expectNoStore(response);
  const problem = response.json();
  expect(problem).toMatchObject({
    type: expect.stringMatching(/^\S+$/),
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: expect.stringMatching(/^\S+$/),
    code: expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    requestId: response.headers['x-request-id'],
  });
  expect(['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'errors', 'reason']).toEqual(
    expect.arrayContaining(Object.keys(problem as object)),
  );
  // A problem may have a reason (D15); it is one of those that a 200 may have (D20).
  if ('reason' in problem) expect(problem.reason).toMatch(new RegExp(`^(${ANY_REASON})$`));
  if (code !== undefined) expect(problem.code).toBe(code);
  for (const leak of LEAKS) expect(response.body).not.toMatch(leak);
}

/** The name of the identifier in the path, in errors as in the OpenAPI document. */
export const PATH_ID = 'id';

/** Expects a 400 as problem+json with its invalid parameters; where `parameter` is given, it is one of them. */
export function expectBadInput(response: HttpResponse, parameter?: string | RegExp, message = /\S/): void {
  expectProblem(response, 400);
  const { errors } = response.json() as { errors: { parameter: string; message: string }[] };
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(error).toEqual({ parameter: expect.any(String), message: expect.stringMatching(/\S/) });
  }
  if (parameter !== undefined) {
    const name = typeof parameter === 'string' ? parameter : expect.stringMatching(parameter);
    expect(errors).toContainEqual({ parameter: name, message: expect.stringMatching(message) });
  }
}

/** Expects one of the two plain messages about paging (D4). */
export function expectPlainMessage(response: HttpResponse, message: string): void {
  expect({ status: response.status, type: response.headers['content-type'], body: response.body }).toEqual({
    status: 400,
    type: 'text/plain; charset=utf-8',
    body: message,
  });
  expectCommonHeaders(response);
  expectNoStore(response);
}

function expectCommonHeaders({ headers }: HttpResponse): void {
  expect(headers['x-request-id']).toMatch(VALID_REQUEST_ID);
  expect(headers.vary?.split(/\s*,\s*/)).toContain('Prefer');
}

function expectNoStore({ headers }: HttpResponse): void {
  expect({ cache: headers['cache-control'], etag: headers.etag }).toEqual({ cache: 'no-store', etag: undefined });
}
