import { freePort } from '../free-port';

/** A base URL on the loopback interface on which nothing listens: connections to it are refused. */
export async function refusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
