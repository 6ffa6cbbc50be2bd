// Writes all records as a table for spreadsheets: node csv.mjs URL [--Status InTransit] … > shipments.csv
// A key or token of the client is read from SHIPPING_API_KEY or SHIPPING_TOKEN.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { IncompleteList, ShippingClient } from 'shipping-query-client';

const FILTERS = ['SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate'];
const COLUMNS = [
  'id',
  'orderId',
  'trackingNumber',
  'status',
  'totalWeight',
  'createdDate',
  'createdBy',
  'isActive',
  'shippingAddress',
];

function cellOf(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  // A spreadsheet would run a text that begins like a formula; the apostrophe makes it text.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets know this form as a date and a time. It is in UTC, as the heading says. */
function timeOf(createdDate) {
  return createdDate?.replace('T', ' ').replace(/\.\d+Z$/, '') ?? null;
}

async function write(cells) {
  if (!process.stdout.write(`${cells.map(cellOf).join(',')}\r\n`)) await once(process.stdout, 'drain');
}

function report(text) {
  process.stderr.write(process.stderr.isTTY ? `\r${text}` : '');
}

async function main() {
  const options = Object.fromEntries(FILTERS.map((name) => [name, { type: 'string' }]));
  const { positionals, values: filters } = parseArgs({ allowPositionals: true, options });
  const { SHIPPING_API_KEY: key, SHIPPING_TOKEN: token } = process.env;
  const headers = { ...(key && { 'X-API-Key': key }), ...(token && { Authorization: `Bearer ${token}` }) };
  const client = new ShippingClient({ baseUrl: positionals[0], headers, strict: true });

  const { data } = await client.getShippingPagedList({ ...filters, PageSize: 1 });
  // Without this mark, Excel reads UTF-8 as the code page of the machine.
  process.stdout.write('\ufeff');
  await write(COLUMNS.map((name) => (name === 'createdDate' ? 'createdDate (UTC)' : name)));
  let written = 0;
  for await (const record of client.exportItems(filters)) {
    await write(COLUMNS.map((name) => (name === 'createdDate' ? timeOf(record.createdDate) : record[name])));
    written += 1;
    if (written % 100 === 0) report(`${written} of ${data.totalCount} records`);
  }
  report('');
  process.stderr.write(`${written} records\n`);
}

main().catch((error) => {
  const from =
    error instanceof IncompleteList && error.fromDate ? ` Records before ${error.fromDate} are written.` : '';
  // Where there is no response, the message of `fetch` says so, and its cause says why.
  const why = error.cause?.code ?? error.cause?.message;
  process.stderr.write(`\nThe table is not complete: ${error.message}${why === undefined ? '' : `: ${why}`}${from}\n`);
  process.exitCode = 1;
});
