import type { Type } from '@nestjs/common';
import { fieldsOf } from './model-fields';
import {
  PagedShippingList,
  ShippingDetail,
  ShippingItem,
  ShippingListItem,
  ShippingLookupItem,
} from '../../src/shipping/model/response-bodies';
import type { HttpResponse } from './http-client';
import type { Operation } from './operations';
import { mappedEmptyRecord, mappedRecord } from './upstream/records';

const namesOf = (model: Type): string[] => fieldsOf(model).map(([name]) => name);

/** The fields of the models; `document.e2e.spec.ts` compares these with the fields of `mappedRecord`. */
export const LOOKUP_FIELDS = namesOf(ShippingLookupItem);
export const LIST_FIELDS = namesOf(ShippingListItem);
export const DETAIL_FIELDS = namesOf(ShippingDetail);
export const ITEM_FIELDS = namesOf(ShippingItem);
export const PAGE_FIELDS = namesOf(PagedShippingList);
export const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'];

export const PAGE_NUMBER_MESSAGE = 'Page number must be greater than 0';
export const PAGE_SIZE_MESSAGE = 'Page size must be between 1 and 100';

const STATUSES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
const REASONS = 'upstream-timeout|upstream-unreachable|upstream-error|bad-reply|circuit-open|saturated|internal';
const COMPLETENESS = new RegExp(
  `^(complete(;limit=[1-9][0-9]*)?|partial;reason=bad-reply(;dropped=[1-9][0-9]*)?|stale;reason=(${REASONS})|unavailable;reason=(${REASONS})(;retry-after=[1-9][0-9]*)?)$`,
);
const UTC_MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const LEAKS = [
  /127\.0\.0\.1|localhost/i, // a host
  /shippings\//i, // a path of the external system
  /^\s*at .+:\d+/m, // a stack
  /node_modules|\.[jt]s\b|ECONN|ETIMEDOUT|undici|axios|Error:/, // the inside of the service
  /hidden-credential/i, // what suites set as EXTERNAL_SHIPPING_TOKEN
];

/** Whether the fields of an object are exactly these. */
export function expectFields(value: unknown, fields: readonly string[]): asserts value is Record<string, unknown> {
  expect(Object.keys(value as object).sort()).toEqual([...fields].sort());
}

/** `Shipping-Completeness` without the counts and times of D52. */
export function completenessOf({ headers }: HttpResponse): string | undefined {
  const value = headers['shipping-completeness'] as string | undefined;
  return value?.replace(/;(?:dropped|retry-after)=[0-9]+$/, '');
}

/** A 200 of an operation, of exactly its documented shape, with this completeness where it is given. */
export function expectAnswer(operation: Operation, answer: HttpResponse, completeness?: string): void {
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
    status: 200,
    type: expect.stringMatching(/^application\/json; ?charset=utf-8$/i),
  });
  expectCommonHeaders(answer);
  expect(answer.headers['shipping-completeness']).toMatch(COMPLETENESS);
  if (completeness !== undefined) expect(completenessOf(answer)).toBe(completeness);
  expectCacheHeaders(answer);
  expectShape(operation, answer.json());
}

/** What a degraded list answers: the empty list, and the headers that tell it from a true one. */
export function expectUnavailable(operation: Operation, answer: HttpResponse, reason: string): void {
  expectAnswer(operation, answer, `unavailable;reason=${reason}`);
  expect(answer.headers.link).toBeUndefined();
  expect(answer.json()).toEqual(
    operation.body === 'list'
      ? []
      : {
          items: [],
          totalCount: 0,
          // As in the sound request of the operation.
          pageNumber: 3,
          pageSize: 7,
          totalPages: 0,
          hasPreviousPage: false,
          hasNextPage: false,
        },
  );
}

/** An error as problem+json with all that is documented, and nothing that must not be told. */
export function expectProblem(answer: HttpResponse, status: number, code?: string): void {
  expect({ status: answer.status, type: answer.headers['content-type'], body: answer.body }).toEqual({
    status,
    type: expect.stringMatching(/^application\/problem\+json(; ?charset=utf-8)?$/),
    body: expect.any(String),
  });
  expectCommonHeaders(answer);
  expectNoStore(answer);
  const problem = answer.json();
  expect(problem).toMatchObject({
    type: expect.stringMatching(/^\S+$/),
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: expect.stringMatching(/^\S+$/),
    code: expect.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    requestId: answer.headers['x-request-id'],
  });
  expectFields(problem, [...PROBLEM_FIELDS, ...['errors', 'reason'].filter((member) => member in problem)]);
  // RFC 9457 allows further members; this one may tell what D20 tells of a 200.
  if ('reason' in problem) expect(problem.reason).toMatch(new RegExp(`^(${REASONS})$`));
  if (code !== undefined) expect(problem.code).toBe(code);
  expectNoLeak(answer.body);
}

/** How errors name the identifier in the path: as the path and the document do. */
export const PATH_ID = 'id';

/** A 400 as problem+json that tells what is wrong, about this parameter where it is given. */
export function expectBadInput(answer: HttpResponse, parameter?: string | RegExp, message = /\S/): void {
  expectProblem(answer, 400);
  const { errors } = answer.json() as { errors: { parameter: string; message: string }[] };
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expectFields(error, ['parameter', 'message']);
    expect(error).toEqual({ parameter: expect.any(String), message: expect.stringMatching(/\S/) });
  }
  if (parameter !== undefined) {
    const name = typeof parameter === 'string' ? parameter : expect.stringMatching(parameter);
    expect(errors).toContainEqual({ parameter: name, message: expect.stringMatching(message) });
  }
}

/** One of the two plain messages about paging. */
export function expectPlainMessage(answer: HttpResponse, message: string): void {
  expect({ status: answer.status, type: answer.headers['content-type'], body: answer.body }).toEqual({
    status: 400,
    type: 'text/plain; charset=utf-8',
    body: message,
  });
  expectCommonHeaders(answer);
  expectNoStore(answer);
}

/** An error says nothing of the inside of the service or of the external system. */
export function expectNoLeak(body: string): void {
  for (const leak of LEAKS) expect(body).not.toMatch(leak);
}

export function expectShape(operation: Operation, body: unknown): void {
  switch (operation.body) {
    case 'list':
      expect(body).toBeInstanceOf(Array);
      (body as unknown[]).forEach((item) => {
        expectRecord(item, LOOKUP_FIELDS);
      });
      break;
    case 'page':
      expectPage(body);
      break;
    default:
      expectDetail(body);
  }
}

function expectPage(body: unknown): void {
  expectFields(body, PAGE_FIELDS);
  for (const figure of ['totalCount', 'pageNumber', 'pageSize', 'totalPages']) {
    expect([figure, Number.isInteger(body[figure])]).toEqual([figure, true]);
    expect(body[figure]).toBeGreaterThanOrEqual(0);
  }
  expect([typeof body.hasPreviousPage, typeof body.hasNextPage]).toEqual(['boolean', 'boolean']);
  expect(body.items).toBeInstanceOf(Array);
  (body.items as unknown[]).forEach((item) => {
    expectRecord(item, LIST_FIELDS);
  });
}

function expectDetail(body: unknown): void {
  expectRecord(body, DETAIL_FIELDS);
  const { shippingItems } = body as { shippingItems: unknown };
  expect(shippingItems).toBeInstanceOf(Array);
  for (const item of shippingItems as unknown[]) {
    expectFields(item, ITEM_FIELDS);
    expect(typesOf(item)).toMatchObject({
      id: textOrNull,
      sku: textOrNull,
      description: textOrNull,
      quantity: numberOrNull,
      weight: numberOrNull,
    });
  }
}

const textOrNull = expect.stringMatching(/^(string|null)$/);
const numberOrNull = expect.stringMatching(/^(number|null)$/);

/** The JSON types that each field may have, from the values of the sound and of the empty record. */
const RECORD_TYPES = Object.fromEntries(
  Object.entries(typesOf(mappedRecord({ body: 'record' }))).map(([name, type]) => {
    const nullable = mappedEmptyRecord({ body: 'record' })[name] === null;
    return [name, nullable ? expect.stringMatching(`^(${type}|null)$`) : type];
  }),
);

function expectRecord(record: unknown, fields: readonly string[]): void {
  expectFields(record, fields);
  expect(typesOf(record)).toMatchObject(
    Object.fromEntries(Object.entries(RECORD_TYPES).filter(([name]) => fields.includes(name))),
  );
  expect(STATUSES).toContain(record.status);
  expect(record.statusDescription).toBe(record.status);
  for (const date of [record.createdDate, record.modifiedDate]) {
    if (typeof date === 'string') expect(date).toMatch(UTC_MILLISECONDS);
  }
}

function typesOf(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [field, value === null ? 'null' : typeof value]),
  );
}

function expectCommonHeaders({ headers }: HttpResponse): void {
  expect(headers['x-request-id']).toMatch(REQUEST_ID);
  expect(headers.vary?.split(/\s*,\s*/)).toContain('Prefer');
}

function expectCacheHeaders(answer: HttpResponse): void {
  if (/^complete(;|$)/.test(String(answer.headers['shipping-completeness']))) {
    expect(answer.headers['cache-control'] ?? '').not.toContain('no-store');
  } else {
    expectNoStore(answer);
  }
}

function expectNoStore({ headers }: HttpResponse): void {
  expect({ cache: headers['cache-control'], etag: headers.etag }).toEqual({ cache: 'no-store', etag: undefined });
}
