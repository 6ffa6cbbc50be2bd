import type { HttpResponse } from './http-client';
import type { Operation } from './operations';

// Assertions about responses that tests share.

/** The plain messages about paging values (D4). */
export const PLAIN_MESSAGES = {
  PageNumber: 'Page number must be greater than 0',
  PageSize: 'Page size must be between 1 and 100',
};

/** The reasons of failures, in the order of the contract (D20). */
export const REASONS: readonly string[] = [
  ...['upstream-timeout', 'upstream-unreachable', 'upstream-error', 'bad-reply'],
  ...['circuit-open', 'saturated', 'internal'],
];
const ANY_REASON = REASONS.join('|');
const COMPLETENESS = new RegExp(
  `^(complete(;limit=[1-9][0-9]*)?|partial;reason=bad-reply(;dropped=[1-9][0-9]*)?|(stale|unavailable);reason=(${ANY_REASON}))$`,
);
const VALID_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
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

/** How many requests the client has left (D32). */
export const remaining = ({ headers }: HttpResponse): number =>
  Number(/^"default";r=(\d+);t=[1-9]\d*$/.exec(String(headers.ratelimit))?.[1]);

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
  const paging = { totalCount: 0, pageNumber: 1, pageSize: 7, totalPages: 0 };
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

/** Expects the plain message about a paging value. */
export function expectPlainMessage(response: HttpResponse, about: keyof typeof PLAIN_MESSAGES): void {
  expect({ status: response.status, type: response.headers['content-type'], body: response.body }).toEqual({
    status: 400,
    type: 'text/plain; charset=utf-8',
    body: PLAIN_MESSAGES[about],
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
