import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

export type Parcel = Readonly<Record<'id' | 'reference' | 'recipient' | 'tracking' | 'state' | 'created', string>> & {
  readonly grams: unknown;
};

const HOUR_MS = 3_600_000;
const NEWEST = Date.UTC(2026, 6, 1, 9);
const STATES = ['NEW', 'MOVING', 'DONE', 'VOID', 'LOST'];
const TOWNS = ['Aarhus', 'Bergen', 'Göteborg'];

/** Makes the parcel with this number, counted from 1; the first is the newest. */
export function parcel(number: number): Parcel {
  return {
    id: `P${number}`,
    reference: `R-${number}`,
    recipient: `Ada Smith, ${number} Main Street, ${TOWNS[number % TOWNS.length] ?? ''}`,
    tracking: `CC${1000 + number}`,
    state: STATES[number % STATES.length] ?? '',
    grams: number * 10,
    created: new Date(NEWEST - number * HOUR_MS).toISOString(),
  };
}

/** A stand-in for a carrier whose lists have a cursor and no total, on a loopback port. */
export class CursorCarrierSystem {
  private constructor(
    private readonly server: Server,
    parcels: readonly Parcel[],
  ) {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
      const id = /^\/v1\/parcels\/([^/]+)$/.exec(pathname)?.[1];
      const found = id === undefined ? undefined : parcels.find((each) => each.id === id);
      const body = id === undefined ? this.listOf(parcels, searchParams) : (found ?? { error: 'unknown parcel' });
      const status = id !== undefined && found === undefined ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async start(count: number): Promise<CursorCarrierSystem> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const parcels = Array.from({ length: count }, (_, index) => parcel(index + 1));
    return new CursorCarrierSystem(server, parcels);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /**
   * A part of the list, the newest first. The cursor is the position in Base64, so that no client can compute with it.
   */
  private listOf(parcels: readonly Parcel[], query: URLSearchParams): object {
    const start = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString() || 0);
    const end = start + Number(query.get('size') ?? 25);
    const cursor = Buffer.from(String(end)).toString('base64url');
    const next = end < parcels.length ? `${this.url}/v1/parcels?size=${end - start}&cursor=${cursor}` : null;
    return { data: parcels.slice(start, end), next };
  }
}
