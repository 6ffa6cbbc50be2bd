import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../config/settings';
import { NO_MATCH, type QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { bodyOf, isWebPage, type UpstreamResponse } from '../transport/upstream-response';
import { toLookupItems, toPagedList, toShippingDetail } from './response-mapping';
import { ShippingProtocol, type Send, type UpstreamRequest, type UpstreamTarget } from './shipping-protocol';

/** The wire format of the specification (D16, D17): one request for each call, parameters under their own names. */
@Injectable()
export class StandardProtocol extends ShippingProtocol {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super();
  }

  record(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingDetail | undefined>> {
    return send(this.target(request)).then((response) =>
      isNoMatch(response) ? NO_MATCH : toShippingDetail(bodyOf(response)),
    );
  }

  list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    return send(this.target(request)).then((response) => toLookupItems(bodyOf(response), request.parameters?.Limit));
  }

  page(request: UpstreamRequest, send: Send): Promise<QueryResult<PagedShippingList>> {
    return send(this.target(request)).then((response) => toPagedList(bodyOf(response), request.parameters));
  }

  private target({ operation, id, parameters }: UpstreamRequest): UpstreamTarget {
    return { path: operation.path(this.settings.external.paths), id, query: parameters };
  }
}

/** D18: 404, 204 and `null` mean that no record matches; not a 404 with the page of a proxy. */
function isNoMatch({ status, headers, data }: UpstreamResponse): boolean {
  return (status === 404 && !isWebPage(headers)) || status === 204 || data === null;
}
