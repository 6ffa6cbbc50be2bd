import type { INestApplicationContext } from '@nestjs/common';
import { printCauses } from '#src/common/errors';
import {
  ExternalShippingGateway,
  jobContext,
  type PagedShippingList,
  ProblemException,
  type Send,
  SETTINGS,
  type Settings,
  type ShippingDetail,
  type ShippingLookupItem,
  ShippingProtocol,
  UpstreamFailure,
  type UpstreamRequest,
} from '#src/index';
import * as details from '#src/shipping/queries/get-shipping-details/get-shipping-details.query';
import * as byId from '#src/shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import * as paged from '#src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import * as single from '#src/shipping/queries/get-shipping-single/get-shipping-single.query';
import { type RecordedCall, sentBy } from './received';

/** Thrown where a rule is broken. The message says what came instead. */
export class Broken extends Error {}

/** Thrown where a rule can neither pass nor fail. The message says what it would need. */
export class CannotTell extends Error {}

export function must(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Broken(fault);
}

export function mustAll<T>(records: readonly T[], holds: (record: T) => boolean, fault: string): void {
  const count = records.filter((record) => !holds(record)).length;
  must(count === 0, `${count} of ${records.length} records ${fault}`);
}

/** @throws {CannotTell} with the text, where the value is missing or empty */
export function needed<T>(value: T | null | undefined, text: string): T {
  if (value === undefined || value === null || value === '') throw new CannotTell(text);
  return value;
}

/** The number of records on a page or list, unless a rule needs another. */
export const RECORDS = 50;

/** Milliseconds between the requests to a system that has limited one. */
export const PAUSE_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Whether a call failed because the system limits requests, or because the service keeps the pause it asked for. */
export function isLimit(error: unknown): boolean {
  const { status, retryAfterMs } = error instanceof UpstreamFailure ? error : {};
  return status === 429 || (status === 403 && retryAfterMs !== undefined);
}

/** Milliseconds after which a request may be sent again; `undefined` where the system asks for no pause. */
function waitAfter(error: unknown): number | undefined {
  const { retryAfterMs } = error instanceof UpstreamFailure ? error : {};
  if (retryAfterMs === undefined) return isLimit(error) ? PAUSE_MS : undefined;
  return Math.min(retryAfterMs, LONGEST_WAIT_MS);
}

/** Values of existing records, which lookups and filters are checked with. They never appear in a report. */
export interface Samples {
  readonly id?: string;
  readonly orderId?: string;
  readonly trackingNumber?: string;
  /** Listed records, newest first. */
  readonly records: readonly ShippingLookupItem[];
  /** One of the records: where there is one, with order id, tracking number, date and searchable address. */
  readonly record?: ShippingLookupItem;
}

/** A text of the same form that most likely no record has: long, and of nines, because short numbers may all exist. */
export function unknownLike(reference = 'none-'): string {
  return `${reference.slice(0, 50).replace(/\d/g, '9')}999999`;
}

/** The service refuses empty identifiers, `.` and `..`, which would change the path of a request. */
export const isUnsendable = (id: string): boolean => /^\.{0,2}$/.test(id);

/** The first word of an address that a search should find, of those with a pattern. */
export const wordIn = (address?: string | null, pattern = /./): string | undefined =>
  (address ?? '').match(/\p{L}{4,}/gu)?.find((word) => pattern.test(word));

type Method = 'record' | 'list' | 'page';

/** The external system under check, called through the gateway. All methods reject where a call fails. */
export class CheckedSystem {
  samples: Samples = { records: [] };
  readonly calls: RecordedCall[] = [];
  private readonly results = new Map<string, Promise<unknown>>();
  private hasWaited = false;

  readonly protocol: ShippingProtocol;
  readonly settings: Settings;
  private readonly gateway: ExternalShippingGateway;

  /** @param pauseMs before a call, for each HTTP request of the call before it, to keep a rate limit */
  constructor(
    app: INestApplicationContext,
    private pauseMs: number,
    private readonly sleep: (ms: number) => Promise<unknown>,
  ) {
    this.protocol = app.get(ShippingProtocol);
    this.settings = app.get(SETTINGS);
    this.gateway = app.get(ExternalShippingGateway, { strict: false });
    this.recordResponses();
  }

  /** The mapped records of all calls so far, or of those of one operation. */
  records(operation?: string): readonly ShippingDetail[] {
    const calls = this.calls.filter((call) => operation === undefined || call.operation === operation);
    const bodies = calls.map(({ result }) => result?.body ?? []);
    return bodies.flatMap((body) => ('items' in body ? body.items : body) as ShippingDetail[]);
  }

  /** The call whose result a list is, or the list of a page. */
  callOf(list: readonly object[]): RecordedCall | undefined {
    return this.calls.find(({ result: { body = {} } = {} }) => ('items' in body ? body.items : body) === list);
  }

  /** The number of records that the system sent for a list, of which the service keeps those that fit the request. */
  countFor(list: readonly object[]): number {
    const call = this.callOf(list);
    return Math.max(list.length, call === undefined ? 0 : sentBy([call]).records.length);
  }

  /** @param again whether to send the request also where the result of an equal one is known */
  page(params: Partial<paged.GetShippingPagedListParams> = {}, again = false): Promise<PagedShippingList> {
    return this.get('page', paged.requestOf({ PageNumber: 1, PageSize: RECORDS, ...params }), again);
  }

  list(params: details.GetShippingDetailsParams = { Limit: RECORDS }): Promise<ShippingLookupItem[]> {
    return this.get('list', details.requestOf(params));
  }

  /** @throws {Broken} where the service drops records, because they do not fit the filters */
  async matching(list: 'paged' | 'details', filters: details.GetShippingDetailsParams): Promise<ShippingLookupItem[]> {
    const found = list === 'paged' ? (await this.page(filters)).items : await this.list({ ...filters, Limit: RECORDS });
    const { completeness } = this.callOf(found)?.result ?? {};
    const causes = completeness?.level === 'partial' && completeness.dropped ? completeness.causes : undefined;
    if (causes === undefined) return found;
    throw new Broken(`Records that were sent for ${Object.keys(filters).join()} are dropped: ${printCauses(causes)}`);
  }

  single(params: single.GetShippingSingleParams): Promise<ShippingDetail | undefined> {
    return this.get('record', single.requestOf(params));
  }

  byId(id: string): Promise<ShippingDetail | undefined> {
    return this.get('record', byId.requestOf({ id }));
  }

  /** Chooses a sample in the middle of the newest records, so that there are older and newer ones to filter. */
  async findSamples(given: Omit<Samples, 'records' | 'record'>): Promise<void> {
    const page = await this.page().catch(() => undefined);
    const records = page?.items.length ? page.items : await this.list().catch(() => []);
    // Where the system has no lists, or refuses them, one lookup shows whether it responds at all.
    if (this.calls.every(({ result }) => result === undefined))
      await this.byId(given.id ?? unknownLike()).catch(() => undefined);
    const usable = records.filter(({ id }) => !isUnsendable(id));
    const full = usable.filter((each) => each.orderId && each.trackingNumber && each.createdDate);
    const searchable = full.filter(({ shippingAddress }) => wordIn(shippingAddress) !== undefined);
    const candidates = [searchable, full, usable].find(({ length }) => length > 0) ?? [];
    const record = candidates[Math.floor(candidates.length / 2)];
    const { id = record?.id } = given;
    const orderId = given.orderId ?? record?.orderId ?? undefined;
    const trackingNumber = given.trackingNumber ?? record?.trackingNumber ?? undefined;
    this.samples = { id, orderId, trackingNumber, records, record };
  }

  private get<Body>(method: Method, request: UpstreamRequest, again = false): Promise<Body> {
    const key = JSON.stringify([request.operation.name, request.id, request.parameters]);
    const known = again ? undefined : (this.results.get(key) as Promise<Body> | undefined);
    const result = known ?? this.call<Body>(method, request);
    if (!again) this.results.set(key, result);
    return result;
  }

  private async call<Body>(method: Method, request: UpstreamRequest): Promise<Body> {
    const pauses = this.calls.at(-1)?.requests ?? 0;
    if (this.pauseMs > 0 && pauses > 0) await this.sleep(pauses * this.pauseMs);
    const { Limit } = request.parameters ?? {};
    const call: RecordedCall = { operation: request.operation.name, limit: Limit, requests: 0, responses: [] };
    this.calls.push(call);
    try {
      call.result = await this.gateway[method](request, jobContext({ strict: true }));
      return call.result.body as Body;
    } catch (error) {
      // The gateway refuses such an operation before it sends a request, so that this is no call of the system.
      if (error instanceof ProblemException && error.getStatus() === 501) this.calls.pop();
      const waitMs = this.hasWaited ? undefined : waitAfter(error);
      if (waitMs === undefined) {
        call.failure = error;
        throw error;
      }
      this.hasWaited = true;
      this.pauseMs = Math.max(this.pauseMs, PAUSE_MS);
      await this.sleep(waitMs);
      return this.call(method, request);
    }
  }

  /** Adds requests and responses to the last call: the check makes one call at a time, so that it is in progress. */
  private recordResponses(): void {
    for (const method of ['record', 'list', 'page'] as const) {
      const original = this.protocol[method].bind(this.protocol);
      const recording = (request: UpstreamRequest, send: Send) => {
        const call = this.calls.at(-1);
        return original(request, async (target) => {
          if (call !== undefined) call.requests += 1;
          const response = await send(target);
          call?.responses.push(response);
          return response;
        });
      };
      Object.assign(this.protocol, { [method]: recording });
    }
  }
}
