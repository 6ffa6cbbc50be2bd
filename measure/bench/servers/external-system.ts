import { createServer } from 'node:net';

/*
 * The external system of the benchmark: two fixed pages and a list, written to raw sockets. It looks for nothing in a
 * request but the page size and the limit, so that it never limits the rate of a server.
 */

const STATUSES = ['created', 'in_transit', 'delivered', 'cancelled'];

function records(size: number): readonly object[] {
  return Array.from({ length: size }, (_, index) => ({
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
}

function page(size: number): Buffer {
  const paging = { TotalCount: 100_000, PageNumber: 1, PageSize: size, TotalPages: 100_000 / size };
  return response({ Items: records(size), ...paging, HasPreviousPage: false, HasNextPage: true });
}

function response(body: object): Buffer {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 200 -\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

const TEN = page(10);
const HUNDRED = page(100);
const LIST = response({ ShippingDetails: records(1000) });

function responseTo(line: string): Buffer {
  if (line.includes('Limit=')) return LIST;
  return line.includes('PageSize=100') ? HUNDRED : TEN;
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    pending += String(chunk);
    for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
      const line = pending.slice(0, pending.indexOf('\r\n'));
      socket.write(responseTo(line));
      pending = pending.slice(end + 4);
    }
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.env.PORT), '127.0.0.1');
