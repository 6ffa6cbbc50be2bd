import { createServer } from 'node:net';

/*
 * The cheap external system of the benchmark: fixed replies over raw sockets. It reads no more of a request than its path, so
 * that it is never what limits a round.
 */

const STATUSES = ['created', 'in_transit', 'delivered', 'cancelled', 'on_hold'];

function record(number: number): object {
  return {
    Id: `SHP-${String(number).padStart(6, '0')}`,
    OrderId: `ORD-${String(number % 500).padStart(6, '0')}`,
    ShippingAddress: `Friedrichstraße ${number}, 10117 Berlin, Germany`,
    TrackingNumber: `JD0146000038${String(number).padStart(6, '0')}`,
    Status: STATUSES[number % STATUSES.length],
    TotalWeight: (number % 400) / 8,
    CreatedDate: '2026-03-14T09:26:53.000Z',
    CreatedBy: 'order-import',
    ModifiedDate: '2026-03-15T10:00:00',
    ModifiedBy: 'warehouse-1',
    IsDeleted: number % 10 === 0,
  };
}

const ShippingItems = [1, 2, 3].map((n) => ({
  Id: `ITM-${n}`,
  Sku: `SKU-${n}`,
  Description: 'Desk lamp',
  Quantity: n,
  Weight: n / 2,
}));

function page(size: number): object {
  return {
    Items: Array.from({ length: size }, (_, index) => record(index + 1)),
    TotalCount: 100_000,
    PageNumber: 1,
    PageSize: size,
    TotalPages: Math.ceil(100_000 / size),
    HasPreviousPage: false,
    HasNextPage: true,
  };
}

function response(body: object): Buffer {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 200 -\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

const detail = response({ ...record(7), ShippingItems });
const pages = new Map<number, Buffer>();

function reply(path: string): Buffer {
  if (path.startsWith('/shippings/by-id/')) return detail;
  const size = Number(/[?&]PageSize=(\d+)/.exec(path)?.[1] ?? 10);
  const made = pages.get(size) ?? response(page(size));
  pages.set(size, made);
  return made;
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    pending += String(chunk);
    for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
      socket.write(reply(pending.slice(4, pending.indexOf(' ', 4))));
      pending = pending.slice(end + 4);
    }
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.env.PORT), '127.0.0.1');
