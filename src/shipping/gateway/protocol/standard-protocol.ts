import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings';
import { failedResponse, isSuccess, type PageInstead, wrongShape } from '../../../resilience/upstream-failure';
import { asPartial, NO_MATCH, type QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { describeType, headerText, isHtml, isJsonType, mediaTypeOf, UNREADABLE_BODY } from '../transport/response-text';
import { toLookupItems, toPagedList, toShippingDetail } from './response-mapping';
import { type Send, ShippingProtocol, type UpstreamRequest, type UpstreamResponse } from './shipping-protocol';
import { booleanOf, countOf, fieldOf, hasAnyOf, isAbsent, isText, isUpstreamObject } from './value-reader';

/** The wire format of the specification: one request a call (D16, D17). */
@Injectable()
export class StandardProtocol extends ShippingProtocol {
  /** Every parameter is sent under its name, those of an application's own queries, too. */
  override readonly parameters: readonly string[] | 'all' = 'all';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super();
  }

  async record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    const response = await this.responseTo(request, send);
    const { status, data } = response;
    // No record matches, which is no failure (D18). A 404 with the page of a proxy is a failure.
    const isNotFound = status === 404 && pageInstead(response) === undefined;
    if (isNotFound || status === 204 || (isSuccess(status) && data === null)) return NO_MATCH;
    const body = bodyOf(response);
    const isNone = isUpstreamObject(body) && !hasAnyOf(RECORD_FIELDS, body);
    if (isNone) throw wrongShape(`no record: none of ${RECORD_FIELDS.join(', ')}`);
    return toShippingDetail(body);
  }

  async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    const response = await this.responseTo(request, send);
    return mapList(response, 'ShippingDetails', (body) => toLookupItems(body, request.parameters?.Limit));
  }

  async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    const response = await this.responseTo(request, send);
    return mapList(response, 'Items', (body) => toPagedList(body, request.parameters));
  }

  private responseTo({ operation, id, parameters }: UpstreamRequest, send: Send): Promise<UpstreamResponse> {
    const query = parameters as Parameters<Send>[0]['query'];
    return send({ path: operation.path(this.settings.external.paths), id, query });
  }
}

/** The fields of which a record has at least one; a serialised task or the state of a job has none (D18). */
const RECORD_FIELDS = ['OrderId', 'ShippingAddress', 'TrackingNumber', 'TotalWeight', 'ShippingItems'];

/** The fields by which a list says that it failed (D18), and that there is more (D31). */
const SIGN =
  /^(?:(?<success>success|issuccess|succeeded)|(?<error>errors?|fault)|(?<next>next|nextlink|@odata\.nextlink)|(?<more>has_?more))$/i;
const FAILURE = 'says that it failed';

const TARGET = /<[^<>]*>/g;
const NEXT_RELATION = /;\s*rel\s*=\s*"?(?:[^",;]*\s)?next(?:[\s",;]|$)/i;

/**
 * Maps the body of a list, and heeds what its response says of itself beside the records: that it failed (D18), or that
 * there is more (D31).
 *
 * @param name of the field with the records
 * @throws {UpstreamFailure} where the response says that it failed, and no record came
 */
function mapList<Body>(response: UpstreamResponse, name: string, map: (body: unknown) => QueryResult<Body>) {
  const { headers } = response;
  const body = bodyOf(response);
  const fields = isUpstreamObject(body) ? body : {};
  const records = fieldOf(fields, name);
  const count = Array.isArray(records) ? records.length : 0;
  let failed: string | undefined;
  let hasMore = headers.link !== undefined && NEXT_RELATION.test(headerText(headers.link).replaceAll(TARGET, ''));
  for (const key of Object.keys(fields)) {
    const sign = SIGN.exec(key)?.groups;
    if (sign === undefined) continue;
    const value = fields[key];
    if (sign.success !== undefined && isFalse(value)) failed ??= key;
    if (sign.error !== undefined && isError(value)) failed ??= key;
    if (sign.next !== undefined && isText(value)) hasMore = true;
    if (sign.more !== undefined && booleanOf(value) === true) hasMore = true;
  }
  if (failed !== undefined && count === 0) throw wrongShape(`${failed}: ${FAILURE}`);
  // A page has a total and a flag of its own (D14).
  const isCutOff =
    name === 'Items'
      ? hasMore && count > 0 && isAbsent(fieldOf(fields, 'HasNextPage'))
      : hasMore || (countOf(headers['x-total-count']) ?? 0) > count;
  const result = map(isCutOff ? { ...fields, HasNextPage: true } : body);
  if (failed === undefined) return result;
  return { ...result, completeness: asPartial(result.completeness, [{ field: failed, what: FAILURE }]) };
}

const isFalse = (value: unknown): boolean => booleanOf(value) === false;

/** Whether a value names an error. Many systems send `null`, `[]`, `{}` or the code 0 where they have no error. */
function isError(value: unknown): boolean {
  if (isAbsent(value) || isFalse(value)) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isUpstreamObject(value) || (Object.keys(value).length > 0 && !isFalse(fieldOf(value, 'Code')));
}

/** The body of a successful response. @throws {UpstreamFailure} for every other status */
export function bodyOf(response: UpstreamResponse): unknown {
  if (isSuccess(response.status)) return response.data;
  throw failedResponse(response, pageInstead(response));
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
