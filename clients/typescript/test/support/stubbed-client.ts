import { ShippingClient, type ShippingClientOptions } from '../../src/index.ts';

/** A request that a client sent. */
export interface Sent {
  readonly url: URL;
  readonly headers: Record<string, string>;
}

/** A client that gets its responses from a function instead of a service, and the requests that it sent. */
export function clientWith(
  respond: (request: Sent, call: number) => Response | Promise<Response>,
  options: Partial<ShippingClientOptions> = {},
): { client: ShippingClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: ShippingClientOptions['fetch'] = (url, { headers }) => {
    const request = { url: new URL(url), headers };
    return Promise.resolve(respond(request, sent.push(request)));
  };
  return { client: new ShippingClient({ baseUrl: 'http://service', fetch, ...options }), sent };
}

/** A body as the service sends it. */
export function complete(body: unknown, completeness = 'complete'): Response {
  return Response.json(body, { headers: { 'Shipping-Completeness': completeness, 'X-Request-Id': 'r-1' } });
}

/** A page of a list of `totalCount` records. */
export function page(
  items: readonly object[],
  [pageNumber, pageSize, totalCount]: readonly [number, number, number],
  completeness?: string,
): Response {
  const totalPages = Math.ceil(totalCount / pageSize);
  const flags = { hasPreviousPage: pageNumber > 1, hasNextPage: pageNumber < totalPages };
  return complete({ items, totalCount, pageNumber, pageSize, totalPages, ...flags }, completeness);
}

/** What a list handed over before its end, and the error that was the end. */
export async function read<Item>(listed: AsyncIterable<Item>): Promise<{ items: Item[]; error: unknown }> {
  const items: Item[] = [];
  try {
    for await (const item of listed) if (items.push(item) > 10_000) throw new Error('There is no end to it');
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}
