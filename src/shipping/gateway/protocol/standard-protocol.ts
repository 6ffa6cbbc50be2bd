import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings';
import { isSuccess } from '../../../resilience/upstream-failure';
import { NO_MATCH, type QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { bodyOf, isNotFound, toLookupItems, toPagedList, toShippingDetail } from './response-mapping';
import { type Send, ShippingProtocol, type UpstreamRequest, type UpstreamTarget } from './shipping-protocol';

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
    return isNoMatch ? NO_MATCH : toShippingDetail(bodyOf(response));
  }

  async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    return toLookupItems(bodyOf(await send(this.target(request))), request.parameters?.Limit);
  }

  async page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    return toPagedList(bodyOf(await send(this.target(request))), request.parameters);
  }

  private target({ operation, id, parameters }: UpstreamRequest): UpstreamTarget {
    return { path: operation.path(this.settings.external.paths), id, query: parameters as UpstreamTarget['query'] };
  }
}
