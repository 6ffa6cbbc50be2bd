import { createServer } from 'node:net';

/*
 * The external system of the benchmark: two fixed pages, written to raw sockets. It looks for nothing in a request but
 * the page size, so that it never limits the rate of a server.
 */

const STATUSES = ['created', 'in_transit', 'delivered', 'cancelled', 'on_hold'];

function response(size: number): Buffer {
  const Items = Array.from({ length: size }, (_, index) => ({
    Id: `SHP-${index}`,
    OrderId: `ORD-${String(index % 500).padStart(6, '0')}`,
    ShippingAddress: `Friedrichstraße ${index}, 10117 Berlin, Germany`,
    TrackingNumber: `JD0146000038${String(index).padStart(6, '0')}`,
    Status: STATUSES[index % STATUSES.length],
    TotalWeight: (index % 400) / 8,
    CreatedDate: '2026-03-14T09:26:53.000Z',
    CreatedBy: 'order-import',
    IsDeleted: index % 10 === 0,
  }));
  const paging = { TotalCount: 100_000, PageNumber: 1, PageSize: size, TotalPages: 100_000 / size };
  const text = JSON.stringify({ Items, ...paging, HasPreviousPage: false, HasNextPage: true });
  const head = `HTTP/1.1 200 -\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

const TEN = response(10);
const HUNDRED = response(100);

const server = createServer({ noDelay: true }, (socket) => {
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    pending += String(chunk);
    for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
      const line = pending.slice(0, pending.indexOf('\r\n'));
      socket.write(line.includes('PageSize=100') ? HUNDRED : TEN);
      pending = pending.slice(end + 4);
    }
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.env.PORT), '127.0.0.1');
