import type { QueryResult, UpstreamResponse } from '#src/index';
import { fieldOf, isUpstreamObject, type UpstreamObject } from '#src/shipping/gateway/protocol/value-reader';

/** One call of the gateway. The class that knows the wire format may send several HTTP requests for it. */
export interface RecordedCall {
  readonly operation: string;
  /** The most records that an unpaged list was asked for. */
  readonly limit?: number;
  /** The number of HTTP requests, also of those without a response. */
  requests: number;
  /** The responses before the fields of their records are mapped. */
  readonly responses: UpstreamResponse[];
  /** `undefined` where the call failed. */
  result?: QueryResult<object | undefined>;
  failure?: unknown;
}

export const LOOKUPS = ['single', 'by-id'];

/**
 * What the successful responses to some calls had together, as it was sent: the bodies of lists, which have fields of their
 * own beside those of the records, and all records and items.
 */
export function sentBy(calls: readonly RecordedCall[]): Record<'bodies' | 'records' | 'items', UpstreamObject[]> {
  const successes = calls.filter(({ result }) => result?.body !== undefined);
  const bodiesOf = (isLookup: boolean): UpstreamObject[] => {
    const own = successes.filter(({ operation }) => LOOKUPS.includes(operation) === isLookup);
    return own.flatMap(({ responses }) => responses.map(({ data }) => data)).filter(isUpstreamObject);
  };
  const bodies = bodiesOf(false);
  const lists = bodies.flatMap((body) => arrayIn(body, 'Items') ?? arrayIn(body, 'ShippingDetails') ?? []);
  const records = [...lists, ...bodiesOf(true)].filter(isUpstreamObject);
  const items = records.flatMap((record) => arrayIn(record, 'ShippingItems') ?? []).filter(isUpstreamObject);
  return { bodies, records, items };
}

function arrayIn(object: UpstreamObject, name: string): readonly unknown[] | undefined {
  const value = fieldOf(object, name);
  return Array.isArray(value) ? value : undefined;
}
