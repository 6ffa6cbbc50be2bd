import { Agent, fetch } from 'undici';
import { JoinedChunks } from './joined-chunks';
import { sharedLookup } from './name-lookup';

/**
 * Creates a `fetch` that opens a connection for each request, and never through a proxy. Node's own `fetch` uses the
 * proxies that variables of the environment name, where `NODE_USE_ENV_PROXY` is set; the requests to the external
 * system do not, and all outgoing requests go one way (D76).
 *
 * @param ca the trusted authorities; where it is `undefined`, those of Node
 */
export function directFetch(ca?: string[]): (url: string, init: object) => Promise<Response> {
  const dispatcher = new Agent({ connect: { ca, lookup: sharedLookup }, pipelining: 0 });
  return (url, init) => fetch(url, { ...init, dispatcher });
}

/**
 * The text of a body in UTF-8, without its byte order mark.
 *
 * @param maxBytes of the decoded body, so that a small compressed one cannot fill the memory
 * @returns `undefined` where the body is larger
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  const joined = new JoinedChunks(maxBytes);
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const chunk of body) if (!joined.add(chunk)) return undefined;
  return new TextDecoder().decode(joined.bytes);
}
