import { randomUUID } from 'node:crypto';
import type { Settings } from '../../src/config/settings';
import { continueTrace, traceparentOf } from '../../src/observability/tracing/trace-context';
import { AttemptFailure } from '../../src/resilience/attempt-failure';
import { Cancellation } from '../../src/resilience/cancellation';
import { timedOut } from '../../src/resilience/http-failures';
import { inTurn, pathOf } from '../../src/shipping/gateway/external-shipping.gateway';
import type { MappedBody, Results, UpstreamRequest } from '../../src/shipping/gateway/protocol/operation';
import type { Send, ShippingProtocol } from '../../src/shipping/gateway/protocol/shipping-protocol';
import type { ExternalHttpClient } from '../../src/shipping/gateway/transport/external-http-client';
import type { UpstreamResponse } from '../../src/shipping/gateway/transport/upstream-response';
import type { PagedShippingList } from '../../src/shipping/model/paged-shipping-list';
import type { ShippingDetail } from '../../src/shipping/model/shipping-detail';
import type { ShippingLookupItem } from '../../src/shipping/model/shipping-lookup-item';
import type { GetShippingDetailsParams } from '../../src/shipping/queries/get-shipping-details/get-shipping-details.params';
import { detailsRequest } from '../../src/shipping/queries/get-shipping-details/get-shipping-details.request';
import { infoByIdRequest } from '../../src/shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.request';
import type { GetShippingPagedListParams } from '../../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.params';
import { pagedListRequest } from '../../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.request';
import type { GetShippingSingleParams } from '../../src/shipping/queries/get-shipping-single/get-shipping-single.params';
import { singleRequest } from '../../src/shipping/queries/get-shipping-single/get-shipping-single.request';
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
  mapped?: MappedBody<NonNullable<Results[keyof Results]>>;
  failure?: unknown;
}

interface Parts {
  readonly client: ExternalHttpClient;
  readonly protocol: ShippingProtocol;
  readonly settings: Settings;
  readonly requests: readonly RecordedRequest[];
}

/**
 * The external system under check. Every call is one attempt with its deadline: no retries, circuit breaker or cache. All
 * methods reject with the {@link AttemptFailure} of a call, and with `RequestLimitError`.
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
    return Math.min(RECORDS, this.settings.maxPageSize);
  }

  page(params: Partial<GetShippingPagedListParams> = {}): Promise<PagedShippingList> {
    return this.get(pagedListRequest({ PageNumber: 1, PageSize: this.pageSize, ...params }));
  }

  list(params: GetShippingDetailsParams = { Limit: RECORDS }): Promise<ShippingLookupItem[]> {
    return this.get(detailsRequest(params));
  }

  single(params: GetShippingSingleParams): Promise<ShippingDetail | undefined> {
    return this.get(singleRequest(params));
  }

  byId(id: string): Promise<ShippingDetail | undefined> {
    return this.get(infoByIdRequest({ id }));
  }

  /** The result of a request; equal requests are sent once. */
  get<Result extends keyof Results>(request: UpstreamRequest<Result>): Promise<Results[Result]> {
    const key = JSON.stringify([request.operation.name, request.id, request.parameters]);
    const known = this.results.get(key) as Promise<Results[Result]> | undefined;
    if (known !== undefined) return known;
    const result = this.send(request);
    this.results.set(key, result);
    return result;
  }

  /** Sends a request, whether or not it was sent before. A dead kept-alive connection is replaced once. */
  send<Result extends keyof Results>(request: UpstreamRequest<Result>): Promise<Results[Result]> {
    return this.attempt(request).catch((error: unknown) => {
      if (error instanceof AttemptFailure && error.deadConnection) return this.attempt(request);
      throw error;
    });
  }

  private async attempt<Result extends keyof Results>(request: UpstreamRequest<Result>): Promise<Results[Result]> {
    const responses: UpstreamResponse[] = [];
    const call: RecordedCall = { operation: request.operation.name, responses };
    const cancellation = new Cancellation();
    const deadline = setTimeout(() => {
      cancellation.cancel(timedOut());
    }, this.settings.external.attemptTimeoutMs);
    this.calls.push(call);
    try {
      const mapped = await this.protocol[request.result](request, this.sender(request, cancellation, responses));
      call.mapped = mapped;
      return mapped?.body as Results[Result];
    } catch (error) {
      call.failure = error;
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  private sender({ operation }: UpstreamRequest, cancellation: Cancellation, responses: UpstreamResponse[]): Send {
    const traceparent = traceparentOf(continueTrace(undefined));
    return inTurn(async (target) => {
      const context = { requestId: randomUUID(), traceparent, strict: true };
      const response = await this.parts.client.get({
        path: pathOf(target),
        operation: operation.name,
        context,
        cancellation,
      });
      responses.push(response);
      return response;
    });
  }
}
