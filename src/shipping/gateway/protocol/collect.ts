import { wrongShape } from '../../../resilience/http-failures';
import type { Send, UpstreamResponse, UpstreamTarget } from './shipping-protocol';

/** What one response of a list has, and where the list goes on. */
export interface CollectedPart<Item> {
  /** Those that count, such as the records that match filters which the external system lacks. */
  readonly items: readonly Item[];
  /** The request of the next part, by a cursor, an offset, a page number or a URL; `undefined` at the end of the list. */
  readonly next: UpstreamTarget | undefined;
}

export interface CollectOptions {
  /** Reading ends with so many items; all of the list by default. */
  readonly enough?: number;
  /** Requests at most, all within the deadline of one attempt. */
  readonly maxRequests: number;
  /**
   * Milliseconds between a response and the next request, for a system that limits requests a second. It is an argument and
   * no setting, because only the protocol knows which of the lists of its system are limited; requests times pace have to
   * fit into the deadline of an attempt.
   */
  readonly paceMs?: number;
}

/**
 * Reads a list in parts, one after the other, until enough items are found or the list ends.
 *
 * @param read what a response has; throws an `UpstreamFailure` where it is of no use
 * @returns at most `enough` items, in the order of the parts
 * @throws {UpstreamFailure} where more requests would be needed: part of a list must not be taken for the whole
 */
export async function collect<Item>(
  send: Send,
  first: UpstreamTarget,
  read: (response: UpstreamResponse) => CollectedPart<Item>,
  { enough = Infinity, maxRequests, paceMs = 0 }: CollectOptions,
): Promise<Item[]> {
  const items: Item[] = [];
  let target = first;
  for (let requests = 1; requests <= maxRequests; requests += 1) {
    const part = read(await send(target, paceMs));
    for (const item of part.items) items.push(item);
    if (items.length >= enough || part.next === undefined) return items.slice(0, enough);
    target = part.next;
  }
  throw wrongShape(`the list needs more than ${maxRequests} requests`);
}
