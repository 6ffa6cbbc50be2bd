import { freePort } from '../free-port';

/** A name that cannot be resolved: a label has at most 63 characters, so that no name server is queried. */
export const UNRESOLVABLE_URL = `http://${'n'.repeat(64)}.invalid`;

/** A base URL on the loopback interface on which nothing listens: connections to it are refused. */
export async function refusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
