import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

type Shipment = Readonly<Record<'shipment_id' | 'created_at' | 'shipment_status', string> & Record<string, unknown>>;
type Response = readonly [status: number, body: object];

const HOUR_MS = 3_600_000;
const NEWEST = Date.UTC(2026, 6, 1, 9);
const STATUSES = ['pending', 'processing', 'label_purchased', 'cancelled'];
const TOWNS = ['Austin', 'Boston', 'Québec', 'Denver'];
const UNITS = ['pound', 'ounce', 'gram', 'kilogram'];
const orderOf = (id: string): string => id.replace('se', 'SO');
const NUMBER = /^[1-9]\d{0,9}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ITEM = { name: 'Desk lamp', quantity: 1, sku: 'LM-1' };
/** The parameters of the list, each with the pattern of its valid values; other values get 400. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  page: NUMBER,
  page_size: NUMBER,
  sort_by: /^(created|modified)_at$/,
  sort_dir: /^(asc|desc)$/,
  created_at_start: TIME,
  created_at_end: TIME,
  sales_order_id: /^/,
  shipment_status: new RegExp(`^(${STATUSES.join('|')})$`),
};

/**
 * Makes the shipment with this number, counted from 1. The first is the newest; after it, each two have the same time.
 */
export function shipment(number: number): Shipment {
  const created_at = new Date(NEWEST - Math.floor(number / 2) * HOUR_MS).toISOString();
  const weight = { value: number / 4, unit: UNITS[number % UNITS.length] };
  const town = { city_locality: TOWNS[number % TOWNS.length], state_province: 'TX', postal_code: '78701' };
  const address = { name: 'Ada Smith', address_line1: `${number} Main Street`, ...town, country_code: 'US' };
  return {
    shipment_id: `se-${number}`,
    created_at,
    modified_at: new Date(NEWEST).toISOString(),
    shipment_status: STATUSES[number % STATUSES.length] ?? '',
    ship_to: address,
    items: [{ ...ITEM, sales_order_id: orderOf(`se-${number}`), sales_order_item_id: `${number}-1` }],
    packages: [{ weight, tracking_number: `94001${number}` }],
    total_weight: weight,
  };
}

/** A stand-in for ShipEngine, in the format of its API v1, with 137 shipments, on a loopback port. */
export class ShipEngineSystem {
  private readonly shipments = Array.from({ length: 137 }, (_, index) => shipment(index + 1));

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shipengine');
      const [status, body] = this.respond(pathname, searchParams);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async start(): Promise<ShipEngineSystem> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ShipEngineSystem(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private respond(path: string, query: URLSearchParams): Response {
    const id = /^\/v1\/shipments\/([^/]+)$/.exec(path)?.[1];
    if (id === undefined) return path === '/v1/shipments' ? this.list(query) : [404, { message: 'No such path' }];
    const found = this.shipments.find(({ shipment_id }) => shipment_id === id);
    return found === undefined ? error(404, 'There is no such shipment') : [200, found];
  }

  private list(query: URLSearchParams): Response {
    const faults = [...query].filter(([name, value]) => PARAMETERS[name]?.test(value) !== true);
    if (faults.length > 0) return error(400, `Invalid: ${faults.map(([name]) => name).join(', ')}`);
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('page_size') ?? 25)];
    const found = this.shipments.filter((candidate) => matches(candidate, query));
    if (query.get('sort_dir') === 'asc') found.reverse();
    const pages = Math.max(1, Math.ceil(found.length / size));
    return [200, { shipments: found.slice((page - 1) * size, page * size), total: found.length, page, pages }];
  }
}

function error(status: number, message: string): Response {
  const fault = { error_source: 'shipengine', error_type: 'validation', error_code: 'unspecified', message };
  return [status, { request_id: '00000000-0000-4000-8000-000000000000', errors: [fault] }];
}

function matches({ shipment_id, created_at, shipment_status }: Shipment, query: URLSearchParams): boolean {
  return (
    (query.get('shipment_status') ?? shipment_status) === shipment_status &&
    (query.get('sales_order_id') ?? orderOf(shipment_id)) === orderOf(shipment_id) &&
    created_at >= (query.get('created_at_start') ?? '') &&
    created_at <= (query.get('created_at_end') ?? '~')
  );
}
