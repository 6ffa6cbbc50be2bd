import { randomUUID } from 'node:crypto';
import { AbortEmitter } from '../../src/common/abort-emitter';
import type { Settings } from '../../src/config/settings';
import { continueTrace, traceparentOf } from '../../src/observability/tracing/trace-context';
import { UpstreamFailure } from '../../src/resilience/upstream-failure';
import type {
  Send,
  ShippingProtocol,
  UpstreamRequest,
  UpstreamResponse,
} from '../../src/shipping/gateway/protocol/shipping-protocol';
import type { UpstreamSender } from '../../src/shipping/gateway/protocol/upstream-sender';
import type { QueryResult } from '../../src/shipping/model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../src/shipping/model/response-bodies';
import {
  detailsRequest,
  type GetShippingDetailsParams,
} from '../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { infoByIdRequest } from '../../src/shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import {
  pagedListRequest,
  type GetShippingPagedListParams,
} from '../../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import {
  singleRequest,
  type GetShippingSingleParams,
} from '../../src/shipping/queries/get-shipping-single/get-shipping-single.query';
import { PAGE_SIZE } from '../../src/shipping/model/parameter-bounds';
import type { RecordedRequest } from './recorded-requests';
import { NO_SAMPLES, type Samples } from './samples';

/** Records on the pages and lists of the check, unless a rule needs another number. */
const RECORDS = 50;

/** One call: a request of the service, which a protocol may turn into several HTTP requests. */
export interface RecordedCall {
  /** Such as `paged`. */
  readonly operation: string;
  /** The upstream responses, before they were mapped. */
  readonly responses: readonly UpstreamResponse[];
  /** `undefined`: the call failed, or no record matches. */
  mapped?: QueryResult<object>;
  failure?: unknown;
}

/** The mapped records of a call. */
export function recordsOf({ mapped }: RecordedCall): readonly ShippingDetail[] {
  const body = mapped?.body ?? [];
  return (Array.isArray(body) ? body : 'items' in body ? body.items : [body]) as ShippingDetail[];
}

/** Asks the protocol for a result. */
type Ask<Body> = (send: Send) => Promise<QueryResult<Body>>;

interface Parts {
  readonly sender: UpstreamSender;
  readonly protocol: ShippingProtocol;
  readonly settings: Settings;
  readonly requests: readonly RecordedRequest[];
  /** The most calls that are sent. */
  readonly maxCalls: number;
}

/** The check has sent as many calls as it may send. */
export class CallLimitError extends Error {}

/**
 * The external system under check. Every call is one attempt with its deadline: no retries, circuit breaker or cache. All
 * methods reject with the {@link UpstreamFailure} of a call, and with {@link CallLimitError}.
 */
export class CheckedSystem {
  /** Set once, before the rules are checked. */
  samples: Samples = NO_SAMPLES;
  readonly calls: RecordedCall[] = [];
  private readonly results = new Map<string, Promise<unknown>>();

  constructor(private readonly parts: Parts) {}

  get settings(): Settings {
    return this.parts.settings;
  }

  get protocol(): ShippingProtocol {
    return this.parts.protocol;
  }

  /** Every HTTP request so far. */
  get requests(): readonly RecordedRequest[] {
    return this.parts.requests;
  }

  /** The size of pages where a rule needs no other. */
  get pageSize(): number {
    return Math.min(RECORDS, PAGE_SIZE.max);
  }

  /** @param again whether the request is sent also where an equal one was sent before */
  page(params: Partial<GetShippingPagedListParams> = {}, again = false): Promise<PagedShippingList> {
    const request = pagedListRequest({ PageNumber: 1, PageSize: this.pageSize, ...params });
    return this.get(request, (send) => this.protocol.page(request, send), again);
  }

  list(params: GetShippingDetailsParams = { Limit: RECORDS }, again = false): Promise<ShippingLookupItem[]> {
    const request = detailsRequest(params);
    return this.get(request, (send) => this.protocol.list(request, send), again);
  }

  single(params: GetShippingSingleParams, again = false): Promise<ShippingDetail | undefined> {
    const request = singleRequest(params);
    return this.get(request, (send) => this.protocol.record(request, send), again);
  }

  byId(id: string, again = false): Promise<ShippingDetail | undefined> {
    const request = infoByIdRequest({ id });
    return this.get(request, (send) => this.protocol.record(request, send), again);
  }

  /** The result of a request; a lost connection is replaced once. */
  private get<Body extends object | undefined>(
    { operation, id, parameters }: UpstreamRequest,
    ask: Ask<Body>,
    again: boolean,
  ): Promise<Body> {
    const key = JSON.stringify([operation.name, id, parameters]);
    const known = again ? undefined : (this.results.get(key) as Promise<Body> | undefined);
    if (known !== undefined) return known;
    const result = this.attempt(operation.name, ask).catch((error: unknown) => {
      if (error instanceof UpstreamFailure && error.connectionLost) return this.attempt(operation.name, ask, true);
      throw error;
    });
    if (!again) this.results.set(key, result);
    return result;
  }

  private async attempt<Body extends object | undefined>(
    operation: string,
    ask: Ask<Body>,
    onNewConnection = false,
  ): Promise<Body> {
    const { maxCalls } = this.parts;
    if (this.calls.length >= maxCalls) throw new CallLimitError(`The check sends ${maxCalls} calls at most`);
    const responses: UpstreamResponse[] = [];
    const call: RecordedCall = { operation, responses };
    const abort = new AbortEmitter();
    const deadline = setTimeout(() => {
      abort.abort();
    }, this.settings.external.attemptTimeoutMs);
    this.calls.push(call);
    const traceparent = traceparentOf(continueTrace(undefined));
    const context = { requestId: randomUUID(), traceparent, strict: true };
    const send = this.parts.sender.forAttempt({ operation, context, abort, onNewConnection, resends: 0 });
    try {
      const { body, completeness } = await ask(async (target) => {
        const response = await send(target);
        responses.push(response);
        return response;
      });
      if (body !== undefined) call.mapped = { body, completeness };
      return body;
    } catch (error) {
      call.failure = error;
      abort.abort();
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }
}
