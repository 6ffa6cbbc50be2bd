import Database from 'libsql';
import type { SandboxVariant } from '../config/sandbox.settings';
import { statusNameOf, SUMMARY_FIELDS, type ShippingRecord } from './shipping-record';

/**
 * Folds a text so that two texts differing only in case become equal, for letters of every script: `STRASSE` and
 * `Straße` fold alike, and so do the two small forms of sigma.
 */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/**
 * `status_name` is what a status filter and the status sort go by. `searchable` holds the searched fields, one after
 * the other. `listed` is 1 for the records that list answers may contain. All three follow from the other columns and
 * the variant.
 */
const TABLE = `
  CREATE TABLE shippings (
    row_number INTEGER PRIMARY KEY,
    ${SUMMARY_FIELDS.map(({ column, type }) => `${column} ${type},`).join('\n    ')}
    shipping_items TEXT NOT NULL,
    status_name TEXT NOT NULL,
    searchable TEXT NOT NULL,
    listed INTEGER NOT NULL
  )`;

const COLUMNS = [
  ...SUMMARY_FIELDS.map(({ column }) => column),
  'shipping_items',
  'status_name',
  'searchable',
  'listed',
];
const INSERT = `INSERT INTO shippings (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;

// One index for each order a list may have. Each holds every column that a filter looks at, so that a list answer is
// one walk along an index, however deep the page, and only the records of that page are fetched.
const INDEXES = `
  CREATE UNIQUE INDEX by_id ON shippings (id);
  CREATE INDEX by_order ON shippings (order_id);
  CREATE INDEX by_tracking_number ON shippings (tracking_number);
  CREATE INDEX list_by_created_date
    ON shippings (created_date, id, status_name, searchable) WHERE listed = 1;
  CREATE INDEX list_by_tracking_number
    ON shippings (tracking_number, id, created_date, status_name, searchable) WHERE listed = 1;
  CREATE INDEX list_by_status
    ON shippings (status_name, id, created_date, searchable) WHERE listed = 1;
  CREATE INDEX list_by_status_descending
    ON shippings (status_name DESC, id, created_date, searchable) WHERE listed = 1;`;

// Neither a searched field nor a search term contains it, so that no term matches across two fields.
const FIELD_SEPARATOR = '\u001f';

/**
 * Builds a database in memory from the records.
 *
 * @throws SqliteError where two records have the same Id.
 */
export function buildDatabase(records: Iterable<ShippingRecord>, variant: SandboxVariant): Database.Database {
  const database = new Database(':memory:');
  database.exec(TABLE);
  const insert = database.prepare(INSERT);
  database.transaction(() => {
    for (const record of records) insert.run(toColumns(record, variant));
  })();
  database.exec(INDEXES);
  return database;
}

/** The form of a search term that is looked for in `searchable`: composed and decomposed letters are the same. */
export function toSearchable(text: string, variant: SandboxVariant): string {
  const composed = text.normalize('NFC');
  return variant === 'extended' ? foldCase(composed) : composed;
}

function toColumns(record: ShippingRecord, variant: SandboxVariant): (string | number | null)[] {
  const searched = [record.shippingAddress, record.trackingNumber];
  if (variant === 'extended') searched.push(record.orderId);
  return [
    ...SUMMARY_FIELDS.map(({ field }) => toColumn(record[field])),
    JSON.stringify(record.shippingItems),
    statusNameOf(record.status),
    toSearchable(searched.filter((field) => field !== null).join(FIELD_SEPARATOR), variant),
    variant === 'extended' && record.isDeleted ? 0 : 1,
  ];
}

function toColumn(value: string | number | boolean | null): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}
