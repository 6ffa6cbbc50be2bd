import { LoggedError, titleOf } from '../../../common/errors';
import { InvalidParametersException } from '../../../http/problems/problem-definitions';
import { wrongShape } from '../../../resilience/http-failures';
import { ClientDisconnectedError, UpstreamFailure } from '../../../resilience/upstream-failure';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../model/parameter-rules';
import type { QueryResult } from '../../model/query-result';
import type { PagedShippingList, ShippingDetail, ShippingLookupItem } from '../../model/response-bodies';
import { faultOfList, faultOfPage, faultOfRecord, faultOfResult } from './result-check';
import type { Send, ShippingProtocol, UpstreamRequest } from './shipping-protocol';
import { isDotSegment } from './upstream-path';

/** A method of the protocol, and what its results have to be. */
export interface ProtocolMethod<Body> {
  readonly name: 'record' | 'list' | 'page';
  /** What is wrong with a body, to complete the sentence "the protocol returned …". */
  readonly faultOf: (body: unknown) => string | undefined;
  /** The result as clients get it. */
  readonly accept: (result: QueryResult<Body>, request: UpstreamRequest) => QueryResult<Body>;
}

export const RECORD: ProtocolMethod<ShippingDetail | undefined> = {
  name: 'record',
  faultOf: faultOfRecord,
  accept: (result, { id, parameters }) => {
    const requested = id ?? parameters?.Id;
    const { body } = result;
    if (body === undefined || requested === undefined || body.id === requested) return result;
    // The record may be somebody else's, such as a late response on a connection that is used again (D18).
    if (body.id.toLowerCase() !== requested.toLowerCase()) throw wrongShape('another Id than the one requested');
    return result;
  },
};

export const LIST: ProtocolMethod<ShippingLookupItem[]> = {
  name: 'list',
  faultOf: faultOfList,
  accept: (result, { parameters }) => {
    const limit = parameters?.Limit ?? MAX_LIMIT;
    return result.body.length <= limit ? result : { ...result, body: result.body.slice(0, limit) };
  },
};

export const PAGE: ProtocolMethod<PagedShippingList> = {
  name: 'page',
  faultOf: faultOfPage,
  accept: (result) => result,
};

/**
 * Lets the protocol refuse a request. Returns a promise only where its `check` does.
 *
 * @throws {InvalidParametersException} where the protocol refuses the request
 * @throws {LoggedError} for an identifier that no path can hold, and for every other error of the protocol
 */
export function checkRequest(protocol: ShippingProtocol, request: UpstreamRequest): Promise<void> | undefined {
  if (isDotSegment(request.id) || isDotSegment(request.parameters?.Id)) {
    throw new LoggedError('The identifier of a query is a dot segment, which would change the path');
  }
  try {
    const checking: unknown = protocol.check?.(request);
    if (checking === undefined) return undefined;
    return Promise.resolve(checking).then(
      () => undefined,
      (error: unknown) => {
        throw errorOfCheck(protocol, error);
      },
    );
  } catch (error) {
    throw errorOfCheck(protocol, error);
  }
}

function errorOfCheck(protocol: ShippingProtocol, error: unknown): Error {
  if (error instanceof InvalidParametersException) return error;
  return new LoggedError(`${protocol.constructor.name}.check threw ${titleOf(error)}`, { cause: error });
}

/**
 * Calls a method of the protocol, and looks at its result.
 *
 * @throws {UpstreamFailure} of the protocol, or for a record with another identifier
 * @throws {LoggedError} for every other error of the protocol, and for a result of another shape (D86)
 */
export async function callProtocol<Body>(
  protocol: ShippingProtocol,
  method: ProtocolMethod<Body>,
  request: UpstreamRequest,
  send: Send,
): Promise<QueryResult<Body>> {
  let result: unknown;
  try {
    result = await protocol[method.name](request, send);
  } catch (error) {
    if (error instanceof UpstreamFailure || error instanceof ClientDisconnectedError) throw error;
    const fault = error instanceof LoggedError ? `sent ${error.message}` : `threw ${titleOf(error)}`;
    throw new LoggedError(`${protocol.constructor.name}.${method.name} ${fault}`, { cause: error });
  }
  const fault = faultOfResult(result) ?? method.faultOf((result as { readonly body?: unknown }).body);
  if (fault !== undefined) {
    throw new LoggedError(`${protocol.constructor.name}.${method.name} returned ${fault}`);
  }
  return method.accept(result as QueryResult<Body>, request);
}

/** The request with a `Limit` of 10,000 at most (D31). */
export function withCappedLimit(request: UpstreamRequest): UpstreamRequest {
  const { parameters } = request;
  if (parameters?.Limit === undefined || parameters.Limit <= MAX_LIMIT) return request;
  return { ...request, parameters: { ...parameters, Limit: MAX_LIMIT } };
}

/** The result with its limit where the list may be cut off: it holds as many records as were requested, or as are kept. */
export function withLimit<Item>(result: QueryResult<Item[]>, requested: number | undefined): QueryResult<Item[]> {
  const { body, completeness } = result;
  const count = body.length;
  const mayBeCutOff = count === (requested ?? DEFAULT_LIMIT) || count === MAX_LIMIT;
  if (!mayBeCutOff || completeness.level !== 'complete' || completeness.limit !== undefined) return result;
  return { ...result, completeness: { level: 'complete', limit: count } };
}
