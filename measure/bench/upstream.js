// The cheap external system of the benchmarks: fixed replies over raw sockets, in a process of its own. It reads no more
// of a request than its path, so that it is never what limits a round. `SearchTerm=payload-N` makes every address N
// characters longer; BENCH_UPSTREAM_FAILS=1 makes it answer nothing but 500.
const { createServer } = require('node:net');

const STATUSES = ['created', 'in_transit', 'delivered', 'cancelled', 'on_hold'];

/** @param {number} number @param {number} padding */
function record(number, padding = 0) {
  return {
    Id: `SHP-${String(number).padStart(6, '0')}`,
    OrderId: `ORD-${String(number % 500).padStart(6, '0')}`,
    ShippingAddress: `Friedrichstraße ${number}, 10117 Berlin, Germany${'x'.repeat(padding)}`,
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

const items = [1, 2, 3].map((n) => ({
  Id: `ITM-${n}`,
  Sku: `SKU-${n}`,
  Description: 'Desk lamp',
  Quantity: n,
  Weight: n / 2,
}));

/** @param {number} count @param {number} padding */
const records = (count, padding) => Array.from({ length: count }, (_, index) => record(index + 1, padding));

/** @param {unknown} body @param {number} status */
function response(body, status = 200) {
  const text = JSON.stringify(body);
  return Buffer.from(
    `HTTP/1.1 ${status} -\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** @type {Map<string, Buffer>} */
const pages = new Map();

/** @param {string} path */
function reply(path) {
  if (path.startsWith('/shippings/by-id/')) return cached('by-id', () => ({ ...record(7), ShippingItems: items }));
  const size = Number(/[?&](?:PageSize|Limit)=(\d+)/.exec(path)?.[1] ?? 10);
  const at = path.indexOf('SearchTerm=payload-');
  const padding = at === -1 ? 0 : Number.parseInt(path.slice(at + 19), 10);
  if (path.startsWith('/shippings/details?')) {
    return cached(`details-${size}-${padding}`, () => ({ ShippingDetails: records(size, padding) }));
  }
  return cached(`paged-${size}-${padding}`, () => ({
    Items: records(size, padding),
    TotalCount: 100_000,
    PageNumber: 1,
    PageSize: size,
    TotalPages: Math.ceil(100_000 / size),
    HasPreviousPage: false,
    HasNextPage: true,
  }));
}

/** @param {string} key @param {() => unknown} make */
function cached(key, make) {
  let buffer = pages.get(key);
  if (buffer === undefined) pages.set(key, (buffer = response(make())));
  return buffer;
}

const FAILURE = response({}, 500);
const fails = process.env.BENCH_UPSTREAM_FAILS === '1';

const server = createServer({ noDelay: true }, (socket) => {
  let pending = '';
  socket.on('data', (chunk) => {
    pending += chunk.latin1Slice();
    for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
      const path = pending.slice(4, pending.indexOf(' ', 4));
      socket.write(fails ? FAILURE : reply(path));
      pending = pending.slice(end + 4);
    }
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` });
});
process.on('disconnect', () => process.exit(0));
