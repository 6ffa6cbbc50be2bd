import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings';
import {
  failedStatus,
  isSuccess,
  type PageInstead,
  retryAfterMs,
  wrongShape,
} from '../../../resilience/upstream-failure';
import { NO_MATCH, type QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { describeType, isHtml, isJsonType, mediaTypeOf, UNREADABLE_BODY } from '../transport/response-text';
import { hasAnyOf, isUpstreamObject } from './json-values';
import { mapEnvelope } from './response-envelope';
import { toLookupItems, toPagedList, toShippingDetail } from './response-mapping';
import {
  type Send,
  ShippingProtocol,
  type UpstreamRequest,
  type UpstreamResponse,
  type UpstreamTarget,
} from './shipping-protocol';

/** The wire format of the specification: one request a call (D16, D17). */
@Injectable()
export class StandardProtocol extends ShippingProtocol {
  /** Every parameter is sent under its name, those of an application's own queries, too. */
  override readonly parameters: readonly string[] | 'all' = 'all';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super();
  }

  async record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const response = await send(this.target(request));
    const { status, data } = response;
    // These responses to a lookup mean that no record matches, which is no failure (D18).
    const isNoMatch = isNotFound(response) || status === 204 || (isSuccess(status) && data === null);
    return isNoMatch ? NO_MATCH : toShippingDetail(recordOf(bodyOf(response)));
  }

  async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const response = await send(this.target(request));
    return mapEnvelope(bodyOf(response), response.headers, 'ShippingDetails', (body) =>
      toLookupItems(body, request.parameters?.Limit),
    );
  }

  async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const response = await send(this.target(request));
    return mapEnvelope(bodyOf(response), response.headers, 'Items', (body) => toPagedList(body, request.parameters));
  }

  private target({ operation, id, parameters }: UpstreamRequest): UpstreamTarget {
    return { path: operation.path(this.settings.external.paths), id, query: parameters as UpstreamTarget['query'] };
  }
}

/** The fields of which a record has at least one; a serialised task or the state of a job has none (D18). */
const RECORD_FIELDS = ['OrderId', 'ShippingAddress', 'TrackingNumber', 'TotalWeight', 'ShippingItems'];

function recordOf(body: unknown): unknown {
  const isNone = isUpstreamObject(body) && !hasAnyOf(RECORD_FIELDS, body);
  if (isNone) throw wrongShape(`no record: none of ${RECORD_FIELDS.join(', ')}`);
  return body;
}

/** The body of a successful response. @throws {UpstreamFailure} for every other status */
export function bodyOf(response: UpstreamResponse): unknown {
  const { status, data, headers } = response;
  if (isSuccess(status)) return data;
  throw failedStatus(status, retryAfterMs(headers['retry-after'], headers.date), pageInstead(response));
}

/** Whether the external system itself says by a 404 that it has no such record (D18). */
export function isNotFound(response: UpstreamResponse): boolean {
  return response.status === 404 && pageInstead(response) === undefined;
}

/**
 * What answered in place of the external system, which sends no body, or one that is JSON by its media type. Any other
 * body, also one that could not be read, is the page of a proxy, of a firewall or of a wrong path (D18, D75).
 */
function pageInstead({ headers, data }: UpstreamResponse): PageInstead | undefined {
  const contentType = headers['content-type'];
  const isEmpty = data === undefined || data === null || data === '';
  // A test of an application that extends the service may replace `HttpService` by a mock, which returns parsed JSON
  // without headers.
  const isParsed = typeof data === 'object';
  const isJson = data !== UNREADABLE_BODY && isJsonType(mediaTypeOf(contentType));
  if (isEmpty || isParsed || isJson) return undefined;
  return { description: describeType(contentType), isHtml: isHtml(data) };
}
