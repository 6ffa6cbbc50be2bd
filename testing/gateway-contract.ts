import type { Type } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { printCauses } from '#src/common/errors';
import { ParameterClass } from '#src/http/parameters/parameter-class';
import { ProblemException, PROBLEMS } from '#src/http/problems/problem-definitions';
import { type FailureReason, UpstreamFailure } from '#src/resilience/upstream-failure';
import {
  type Send,
  ShippingProtocol,
  type UpstreamRequest,
  type UpstreamTarget,
} from '#src/shipping/gateway/protocol/shipping-protocol';
import { SORT_KEYS } from '#src/shipping/model/parameter-rules';
import { jobContext, type QueryContext } from '#src/shipping/model/query-context';
import type { QueryResult } from '#src/shipping/model/query-result';
import type { PagedShippingList, ShippingLookupItem } from '#src/shipping/model/response-bodies';
import { SHIPPING_STATUSES } from '#src/shipping/model/shipping-status';
import { GetShippingDetailsParams } from '#src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { GetShippingPagedListParams } from '#src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleParams } from '#src/shipping/queries/get-shipping-single/get-shipping-single.query';
import { ShippingListQuery, type ShippingQuery } from '#src/shipping/queries/shared/shipping-query';
import { createTestingApp, type TestingAppOptions } from './testing-app';
import { badJson, oversized, truncatedGzip, wrongShape } from './upstream/body-faults';
import { resetsBeforeHeaders, resetsMidBody } from './upstream/connection-faults';
import type { Behaviour } from './upstream/exchange';
import { empty, gzip, html, json, redirect, status } from './upstream/responses';
import { ScriptedUpstream } from './upstream/scripted-upstream';

const TOKEN = 'hidden-credential';

const FAULTS: readonly (readonly [name: string, reason: FailureReason, behaviour: Behaviour])[] = [
  ['a reset', 'upstream-unreachable', resetsBeforeHeaders()],
  ['a body that breaks off', 'bad-reply', resetsMidBody()],
  ['500', 'upstream-error', status(500)],
  ['401', 'upstream-error', status(401)],
  ['a redirect', 'bad-reply', redirect()],
  ['invalid JSON', 'bad-reply', badJson()],
  ['gzip cut short', 'bad-reply', truncatedGzip()],
  ['a body over the limit', 'bad-reply', oversized(200_000)],
  ['another shape', 'bad-reply', wrongShape('neither an object nor an array')],
  ['a web page', 'bad-reply', html()],
  ['no body', 'bad-reply', empty(200)],
];

/**
 * What {@link describeGatewayContract} needs to know of a query, and of the class that knows the wire format of an
 * external system (`protocol`).
 */
export interface GatewayContract<Params, Body> {
  readonly protocol: Type<ShippingProtocol>;
  /** Modules whose exported providers `protocol` injects. */
  readonly imports?: TestingAppOptions['imports'];
  /**
   * The class of the query. Where it extends `ShippingListQuery`, failures of the external system give an empty list.
   */
  readonly query: new (params: Params, context: QueryContext) => ShippingQuery<unknown, Body>;
  /** Makes valid parameters of the query from one text that a client sends, such as an identifier or an order id. */
  readonly params: (text: string) => Params;
  /** A text for `params`: the query with these parameters finds the records of `fullyValid`. */
  readonly text: string;
  /** The path of the first request to the external system; `{text}` stands for the encoded text. */
  readonly externalPath: string;
  /**
   * The query parameter in which the text is sent; absent where the path has it, or where `protocol` does not send it
   * but filters the records of the response.
   */
  readonly textParameter?: string;
  /**
   * Whether `protocol` sends no request for identifiers that cannot exist in the system, such as the hostile ones
   * below.
   */
  readonly knowsIdentifiers?: boolean;
  /**
   * The body of a valid upstream response. Its records match `text`; a list has two of them at least, with another
   * status, `isActive` and order, and a record two items, if it has any. No two fields of a record have the same value,
   * and no two numbers of a page; there is a next page, and none before.
   */
  readonly fullyValid: unknown;
  /**
   * Fields that all records of the query have in common, such as `isActive` where the system knows no deleted ones, or
   * `status` where the query finds one status alone.
   */
  readonly sameInAll?: readonly (keyof ShippingLookupItem)[];
  /** What `fullyValid` means: the whole body that the query returns for it. A field that the system lacks is `null`. */
  readonly means: Body;
  /** The same body as `fullyValid`, where one record has a malformed weight. */
  readonly partlyInvalid: unknown;
  /** The upstream response to a lookup that no record matches. */
  readonly noMatch: Behaviour;
}

/** The functions of a test runner, such as all exports of `vitest` or of `@jest/globals`. */
export type TestFunctions = Readonly<
  Record<'describe' | 'it' | 'expect' | 'beforeAll' | 'beforeEach' | 'afterAll', (...values: never[]) => unknown>
>;

const NO_FUNCTIONS =
  'The test runner has no global functions. Hand them over: describeGatewayContract({ … }, vitest), ' +
  "with import * as vitest from 'vitest'";

const SAMPLES = ['fullyValid', 'means', 'partlyInvalid', 'noMatch'] as const;

/** The records of the body of a query: the elements of a list, those of a page, or the body itself. */
function recordsOf(body: unknown): Record<string, unknown>[] {
  const { items = body ?? [] } = Object(body) as { readonly items?: unknown };
  return [items].flat() as Record<string, unknown>[];
}

/** Why the sample of a contract would not tell a right protocol from a wrong one. */
function faultsOfSample<Params, Body>(contract: GatewayContract<Params, Body>, isList: boolean): string[] {
  const { means, params, text, sameInAll = [] } = contract;
  const records = recordsOf(means);
  const faults: string[] = [];
  for (const record of records) {
    const items = recordsOf(record.shippingItems ?? []);
    if (items.length === 1) faults.push(`${String(record.id)} has one item: two are needed, or none`);
    if (record.status === 'Unknown') faults.push(`${String(record.id)} has no status that the service knows`);
    for (const each of [record, ...items]) {
      // `statusDescription` repeats the status.
      const entries = Object.entries(each).filter(([name]) => name !== 'statusDescription');
      const told = entries.filter(([, value]) => value !== null && typeof value !== 'object');
      const values = told.map(([, value]) => value);
      const twice = told.filter(([, value], index) => values.indexOf(value) !== index).map(([name]) => name);
      if (twice.length > 0) faults.push(`${String(each.id)} has the value of another field in ${twice.join(', ')}`);
    }
  }
  if (!isList) return faults;
  if (records.length < 2) faults.push('a list needs two records');
  const asked = Object.entries(Object(params(text)) as object).filter(([, value]) => value === text);
  const filters = asked.map(([name]) => name.toLowerCase());
  for (const field of ['status', 'isActive', 'orderId'] as const) {
    const values = new Set(records.map((record) => record[field]));
    const isAlike = values.size === 1 && !values.has(undefined) && !values.has(null);
    if (isAlike && !sameInAll.includes(field) && !filters.includes(field.toLowerCase()))
      faults.push(`all records have one ${field}: let two differ, or name it in sameInAll`);
  }
  return 'totalPages' in Object(means) ? [...faults, ...faultsOfPage(means as PagedShippingList)] : faults;
}

function faultsOfPage({ items, hasPreviousPage, hasNextPage, ...page }: PagedShippingList): string[] {
  const { totalCount, pageNumber, pageSize, totalPages } = page;
  const numbers = [totalCount, pageNumber, pageSize, totalPages];
  const differ = new Set(numbers).size === numbers.length && totalCount !== items.length;
  return [
    ...(differ ? [] : ['totalCount, pageNumber, pageSize and totalPages differ, and totalCount from the items']),
    ...(hasPreviousPage === hasNextPage ? ['hasPreviousPage and hasNextPage differ'] : []),
  ];
}

const METHODS = ['record', 'list', 'page'] as const;
type Asked = readonly [method: (typeof METHODS)[number], request: UpstreamRequest];

interface Observed {
  readonly targets: readonly UpstreamTarget[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/** Lets a protocol note what it is asked for, until the returned function is called. */
function note(protocol: ShippingProtocol, asked: Asked[]): () => void {
  const own = METHODS.map((method) => [method, Object.getOwnPropertyDescriptor(protocol, method)] as const);
  for (const method of METHODS) {
    const call = protocol[method].bind(protocol) as ShippingProtocol['record'];
    const value: typeof call = (request, send) => (asked.push([method, request]), call(request, send));
    Object.defineProperty(protocol, method, { value, configurable: true });
  }
  return () => {
    for (const [method, before] of own) {
      Reflect.deleteProperty(protocol, method);
      if (before !== undefined) Object.defineProperty(protocol, method, before);
    }
  };
}

/** The parameters of the service's own queries, by the names of their operations. */
const PARAMETERS: ReadonlyMap<string, Type<object>> = new Map<string, Type<object>>([
  ['single', GetShippingSingleParams],
  ['details', GetShippingDetailsParams],
  ['paged', GetShippingPagedListParams],
]);

const DATES = [new Date(0), new Date('2100-01-01')];
const KNOWN_VALUES: Readonly<Record<string, readonly unknown[] | undefined>> = {
  Status: SHIPPING_STATUSES,
  FromDate: DATES,
  ToDate: DATES,
  Limit: [1],
  PageNumber: [1, 2],
  PageSize: [1, 2],
  SortDirection: ['asc', 'desc'],
};

/** Other values for each parameter of a request that a protocol reads. */
function othersOf(
  { parameters: read, sortKeys = SORT_KEYS }: ShippingProtocol,
  { operation, parameters }: UpstreamRequest,
): [name: string, values: unknown[]][] {
  const given: Readonly<Record<string, unknown>> = { ...parameters };
  const type = PARAMETERS.get(operation.name);
  const ofService = type && [...new ParameterClass(type).parameters.values()].map(({ name }) => name);
  const names = ofService ?? Object.keys(given).filter((name) => given[name] != null);
  const isRead = (name: string): boolean =>
    read === 'all' || name.startsWith('Page') || read.includes(name.replace('SortDirection', 'SortBy'));
  return names.filter(isRead).map((name) => {
    const value = given[name];
    const known = name === 'SortBy' ? sortKeys : KNOWN_VALUES[name];
    return [name, (known ?? [otherThan(value)]).filter((other) => other !== value)];
  });
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : `${String(value)}-2`;
}

/**
 * Describes tests of what every query on the external system guarantees, over real HTTP to a scripted upstream.
 *
 * @param functions those of Vitest without `globals`, or of Jest without `injectGlobals`; by default the global ones
 * @throws Error where they are not given and not global
 */
export function describeGatewayContract<Params, Body>(
  contract: GatewayContract<Params, Body>,
  functions?: TestFunctions,
): void {
  // The types of Jest stay out of the declarations of the package, because teams may use another runner.
  const runner = (functions ?? globalThis) as Partial<typeof globalThis> & { readonly expect?: jest.Expect };
  const { describe, it, expect, beforeAll, beforeEach, afterAll } = runner;
  if (!describe || !it || !expect || !beforeAll || !beforeEach || !afterAll) throw new Error(NO_FUNCTIONS);
  const { protocol, imports, query: Query, params, text: matching, externalPath } = contract;
  const { textParameter, knowsIdentifiers, means } = contract;
  // The compiler does not check a test in JavaScript, or one that Jest runs. A missing sample would be a sample of `json`.
  const missing = SAMPLES.filter((name) => contract[name] === undefined);
  if (missing.length > 0) throw new Error(`describeGatewayContract has no ${missing.join(', ')} of ${Query.name}`);
  const isList = Query.prototype instanceof ShippingListQuery;
  const settings = { EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000', EXTERNAL_SHIPPING_TOKEN: TOKEN };

  describe(`${Query.name} by ${protocol.name}`, () => {
    let upstream: ScriptedUpstream;
    let app: NestFastifyApplication;
    beforeAll(async () => {
      upstream = await ScriptedUpstream.start();
      const env = { ...settings, EXTERNAL_SHIPPING_BASE_URL: upstream.url };
      app = await createTestingApp({ env, protocol, imports });
      await app.init();
    });
    afterAll(async () => {
      // Where the application did not start, the upstream has to be closed nevertheless: it would keep the runner open.
      await (app as NestFastifyApplication | undefined)?.close();
      await upstream.close();
    });
    beforeEach(() => {
      upstream.reset();
      upstream.respondWith(json(contract.fullyValid));
    });
    const execute = (text = matching, context = jobContext({ strict: true })): Promise<QueryResult<Body>> =>
      app.get(QueryBus).execute(new Query(params(text), context));
    // The message of a failure, which clients see, does not say what the external system or `protocol` did wrong.
    const succeed = (): Promise<QueryResult<Body>> =>
      execute().catch((error: unknown) => {
        throw error instanceof UpstreamFailure ? new Error(printCauses(error.causes), { cause: error }) : error;
      });

    it('D16 sends a GET to its path, with its headers and no body', async () => {
      const context = jobContext();
      // Where the result is wrong, other tests fail.
      await execute(matching, context).catch(() => undefined);
      const [{ method, path, headers } = {}] = upstream.calls;
      expect([method, path]).toEqual(['GET', externalPath.replace('{text}', matching)]);
      expect(headers).toMatchObject({
        accept: expect.any(String),
        'x-request-id': context.requestId,
        traceparent: context.traceparent,
        authorization: `Bearer ${TOKEN}`,
      });
      expect(headers).not.toHaveProperty('content-length');
    });

    it.each(['../../admin', '//evil.example/x', 'a?b=c&d=e#f', 'https://evil.example', 'ä +%2F%00', "$&$1{id}'"])(
      'D9 %j changes neither host nor path',
      async (text) => {
        // Where the text is an identifier, these two errors are right, too: the record of the upstream response has
        // another identifier than the requested one (D18), or `protocol` knows that the identifier cannot exist.
        const failure: unknown = await execute(text).catch((error: unknown) => error);
        if (failure instanceof ProblemException) expect(failure.definition).toBe(PROBLEMS.shippingNotFound);
        else if (failure instanceof Error && !(failure instanceof UpstreamFailure)) throw failure;
        const [call] = upstream.calls;
        if (knowsIdentifiers === true) {
          expect(call).toBeUndefined();
          return;
        }
        expect(call?.headers.host).toBe(new URL(upstream.url).host);
        expect(call?.path).toBe(externalPath.replace('{text}', () => encodeURIComponent(text)));
        const carriers = [...(call?.params ?? [])].filter(([, value]) => value === text).map(([name]) => name);
        expect(carriers).toEqual(textParameter === undefined ? [] : [textParameter]);
      },
    );

    it('D85 the sample tells records, items, fields and paging values apart', () => {
      expect(faultsOfSample(contract, isList)).toEqual([]);
    });

    it('D17 D85 reads what a valid response means, compressed or after a retry, too', async () => {
      upstream.enqueue(json(contract.fullyValid), gzip(contract.fullyValid), status(503));
      for (let sent = 0; sent < 3; sent += 1) {
        const { body, completeness } = await succeed();
        expect(body).toEqual(means);
        // The service derives paging values that contradict each other, and names them.
        expect([completeness.level, completeness.causes ?? []]).toEqual(['complete', []]);
      }
    });

    /** What the protocol sends and finds where the response is always the sample. A value that it refuses is not lost. */
    const observe = async ([method, request]: Asked): Promise<Observed> => {
      const bound = app.get(ShippingProtocol);
      const targets: UpstreamTarget[] = [];
      const headers = { 'content-type': 'application/json' };
      const sample = JSON.stringify(contract.fullyValid);
      const send: Send = (target) => {
        targets.push(target);
        return Promise.resolve({ status: 200, headers, data: JSON.parse(sample) as unknown });
      };
      try {
        bound.check?.(request);
        return { targets, records: recordsOf((await bound[method](request, send)).body) };
      } catch (error) {
        return { targets, records: [{ error: String(error) }] };
      }
    };
    /** The names of the parameters for which this holds, of the requests that the query makes. */
    const parametersThat = async (hold: (before: Observed, others: Observed[]) => boolean): Promise<string[]> => {
      const bound = app.get(ShippingProtocol);
      const asked: Asked[] = [];
      const restore = note(bound, asked);
      // Where the result is wrong, other tests fail.
      await execute().catch(() => undefined);
      restore();
      const names: string[] = [];
      for (const [method, request] of asked) {
        const before = await observe([method, request]);
        for (const [name, values] of othersOf(bound, request)) {
          const others: Observed[] = [];
          for (const value of values) {
            const parameters = { ...request.parameters, [name]: value };
            others.push(await observe([method, { ...request, parameters }]));
          }
          if (others.length > 0 && hold(before, others)) names.push(name);
        }
      }
      return names;
    };

    it('D83 each parameter that the protocol reads changes what is sent, or which records come', async () => {
      const isSame = (one: Observed, other: Observed): boolean => JSON.stringify(one) === JSON.stringify(other);
      const lost = await parametersThat((before, others) => others.every((other) => isSame(before, other)));
      expect(lost).toEqual([]);
    });

    it('D85 no field of a record comes from the request', async () => {
      const copied = await parametersThat((before, others) =>
        others.some(({ records }) =>
          records.some((record) => {
            const same = before.records.find(({ id }) => id === record.id);
            return same !== undefined && JSON.stringify(same) !== JSON.stringify(record);
          }),
        ),
      );
      // Where the system finds records that show another value, a protocol may show what was asked for.
      const { notComparable = [] } = app.get(ShippingProtocol);
      expect(copied.filter((name) => !notComparable.includes(name))).toEqual([]);
    });

    it('D19 D20 a malformed weight makes the result partial, and all else stays', async () => {
      upstream.respondWith(json(contract.partlyInvalid));
      const { body, completeness } = await succeed();
      expect(completeness).toMatchObject({ level: 'partial', reason: 'bad-reply' });
      const withoutWeights = (of: Body): unknown => recordsOf(of).map((record) => ({ ...record, totalWeight: null }));
      expect(withoutWeights(body)).toEqual(withoutWeights(means));
      const isOfRecords = recordsOf(means).every((record) => 'totalWeight' in record);
      expect(recordsOf(body).some(({ totalWeight }) => totalWeight === null)).toBe(isOfRecords);
    });

    it('D15 D18 D20 no match is not found, or an empty list', async () => {
      upstream.respondWith(isList ? status(404) : contract.noMatch);
      const executed = execute(matching, jobContext());
      const completeness = { level: 'unavailable', reason: 'upstream-error' };
      if (isList) expect(await executed).toMatchObject({ completeness });
      else await expect(executed).rejects.toMatchObject({ definition: PROBLEMS.shippingNotFound });
    });

    it.each(FAULTS)('D18 D21 %s is %s, and the error hides where', async (_, reason, behaviour) => {
      // The circuit opens where half of at least 20 calls failed (D33): valid calls before each failure keep it closed.
      await Promise.allSettled([execute(), execute()]);
      upstream.respondWith(behaviour);
      const failure: unknown = await execute().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UpstreamFailure);
      expect(failure).toMatchObject({ reason });
      const shown = `${String(failure)} ${JSON.stringify(failure)}`;
      for (const hidden of [TOKEN, '127.0.0.1', externalPath, matching]) expect(shown).not.toContain(hidden);
    });
  });
}
