import * as answers from './responses';
import * as bodyFaults from './body-faults';
import * as connectionFaults from './connection-faults';
import type { Behaviour } from './exchange';
import type { ReceivedCall } from './received-call';
import { anyReply } from './records';

type Builders = Record<string, () => Behaviour>;

const { json, text, empty, status, html, redirect, gzip, brotli, chunked, http10, earlyHints, delayed } = answers;

/** Every behaviour by name, as it is without parameters. */
export const CATALOGUE: ReadonlyMap<string, () => Behaviour> = new Map(
  Object.entries<() => Behaviour>({
    ...{ json, empty, html, redirect, gzip, brotli, chunked, http10, earlyHints, delayed },
    text: () => text(JSON.stringify(anyReply())),
    notFound: () => status(404),
    tooManyRequests: () => status(429, { retryAfter: 1 }),
    serverError: () => status(500),
    unavailable: () => status(503, { retryAfter: 1 }),
    ...(connectionFaults satisfies Builders),
    ...(bodyFaults satisfies Builders),
  }),
);

/**
 * The behaviour whose name the call carries: in the header `X-Behaviour`, as the value of a query parameter or as the
 * last part of the path. The last two pass through the service as a search term or an identifier.
 */
export function behaviourNamedBy(call: ReceivedCall): Behaviour | undefined {
  const candidates = [call.headers['x-behaviour'], ...call.params.values(), call.path.split('/').at(-1)];
  const name = candidates.find((candidate) => candidate !== undefined && CATALOGUE.has(candidate));
  return name === undefined ? undefined : CATALOGUE.get(name)?.();
}
