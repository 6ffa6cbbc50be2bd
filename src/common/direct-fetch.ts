import { Agent, fetch } from 'undici';

/**
 * Creates a `fetch` that opens a connection for each request, and never through a proxy. Node's own `fetch` uses the
 * proxies that variables of the environment name, where `NODE_USE_ENV_PROXY` is set; the requests to the external
 * system do not, and all outgoing requests go one way (D76).
 *
 * @param ca the trusted authorities; where it is `undefined`, those of Node
 */
export function directFetch(ca?: string[]): (url: string, init: object) => Promise<Response> {
  const dispatcher = new Agent({ connect: { ca }, pipelining: 0 });
  return (url, init) => fetch(url, { ...init, dispatcher });
}
