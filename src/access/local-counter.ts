import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** More than the /64 networks of a /48. Beyond this number, the client that made no request for longest starts anew. */
const MAX_LOCAL_CLIENTS = 100_000;

/** Counts requests in the memory of this replica, of a bounded number of clients: `RateLimiterMemory` has no bound. */
export class LocalCounter extends RateLimiterMemory {
  private readonly clients = new LRUCache<string, true>({
    max: MAX_LOCAL_CLIENTS,
    dispose: (_, client) => void this.delete(client),
  });

  /** @param onRequest is called for each request that is counted */
  constructor(
    limits: { readonly points: number; readonly duration: number },
    private readonly onRequest: () => void,
  ) {
    super(limits);
  }

  override consume(client: string): Promise<RateLimiterRes> {
    this.onRequest();
    this.clients.set(client, true);
    return super.consume(client);
  }
}
