import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A shipment as Freightline returns it. */
export interface FreightlineShipment {
  readonly shipment_id: string;
  readonly order_no: string;
  readonly ship_to: string;
  readonly tracking_no: string;
  readonly state: string;
  readonly weight_kg: number;
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string | null;
  readonly updated_by: string | null;
  readonly removed: boolean;
  readonly lines: readonly object[];
}

const MAX_PER_PAGE = 50;
const HOUR_MS = 3_600_000;
const NEWEST = Date.UTC(2026, 6, 1, 9);
const STATES = ['booked', 'rolling', 'handed_over', 'void', 'unspecified'];
const TOWNS = ['Aarhus', 'Bergen', 'Göteborg', 'Turku'];

/** The shipment with this number, counted from 1; the first is the newest. */
export function shipment(number: number): FreightlineShipment {
  const digits = String(number).padStart(4, '0');
  return {
    shipment_id: `FL-${digits}`,
    order_no: `PO-${digits}`,
    ship_to: `Havnegade ${number}, ${TOWNS[number % TOWNS.length] ?? ''}`,
    tracking_no: `FLT${String(7_000_000 + number * 37)}`,
    state: STATES[number % STATES.length] ?? '',
    weight_kg: number / 4,
    // Two of the same time each, so that the order of ties shows.
    created_at: new Date(NEWEST - Math.floor(number / 2) * HOUR_MS).toISOString(),
    created_by: 'booking-desk',
    updated_at: null,
    updated_by: null,
    removed: number % 40 === 0,
    lines: [{ line_id: `FL-${digits}-1`, sku: 'PALLET', title: 'Pallet', qty: 1, weight_kg: number / 4 }],
  };
}

/** The stand-in of the example: a system with a REST API of its own, and 137 shipments. */
export class FreightlineSystem {
  private readonly shipments = Array.from({ length: 137 }, (_, index) => shipment(index + 1));

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://freightline');
      const [status, body] = this.respond(pathname, searchParams);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  /** Listens on a loopback port; 0: any free one. */
  static async start(port = 0): Promise<FreightlineSystem> {
    const server = createServer();
    const system = new FreightlineSystem(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return system;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private respond(path: string, query: URLSearchParams): [status: number, body: object] {
    const id = /^\/v2\/shipments\/([^/]+)$/.exec(path)?.[1];
    if (id !== undefined) {
      const data = this.shipments.find(({ shipment_id }) => shipment_id === decodeURIComponent(id));
      return data === undefined ? error(404, 'shipment_not_found') : [200, { data }];
    }
    return path === '/v2/shipments' ? this.search(query) : error(404, 'route_not_found');
  }

  private search(query: URLSearchParams): [status: number, body: object] {
    const page = Number(query.get('page') ?? 0);
    const perPage = Number(query.get('per_page') ?? 20);
    if (!(perPage >= 1 && perPage <= MAX_PER_PAGE)) return error(422, 'per_page_out_of_range');
    const found = this.shipments.filter((candidate) => matches(candidate, query)).sort(order(query));
    const data = found.slice(page * perPage, (page + 1) * perPage);
    return [200, { data, meta: { total: found.length, page, per_page: perPage } }];
  }
}

function error(status: number, code: string): [number, object] {
  return [status, { error: { code, message: `Freightline: ${code.replaceAll('_', ' ')}` } }];
}

function matches(candidate: FreightlineShipment, query: URLSearchParams): boolean {
  const exact = { id: candidate.shipment_id, order_no: candidate.order_no, tracking_no: candidate.tracking_no, state: candidate.state }; // prettier-ignore
  const term = query.get('q')?.toLowerCase() ?? '';
  return (
    Object.entries(exact).every(([name, value]) => !query.has(name) || query.get(name) === value) &&
    `${candidate.ship_to} ${candidate.tracking_no}`.toLowerCase().includes(term) &&
    candidate.created_at >= (query.get('created_from') ?? '') &&
    candidate.created_at <= (query.get('created_to') ?? '~')
  );
}

function order(query: URLSearchParams): (a: FreightlineShipment, b: FreightlineShipment) => number {
  const field = (query.get('sort') ?? 'created_at') as 'created_at' | 'state' | 'tracking_no';
  const sign = query.get('order') === 'asc' ? 1 : -1;
  return (a, b) => sign * compare(a[field], b[field]) || compare(a.shipment_id, b.shipment_id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
