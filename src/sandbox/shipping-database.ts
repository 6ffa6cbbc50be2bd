import Database from 'libsql';
import { foldCase } from './case-folding';
import { type SandboxVariant, type ShippingRecord, statusNameOf } from './shipping-record';

/**
 * `status_name` is what a status filter and the status sort go by. `searchable` holds the searched fields, one after
 * the other. `listed` is 1 for the records that list answers may contain. All three follow from the other columns and
 * the variant.
 */
const TABLE = `
  CREATE TABLE shippings (
    row_number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    shipping_address TEXT NOT NULL,
    tracking_number TEXT NOT NULL,
    status TEXT,
    total_weight REAL NOT NULL,
    created_date TEXT NOT NULL,
    created_by TEXT NOT NULL,
    modified_date TEXT,
    modified_by TEXT,
    is_deleted INTEGER NOT NULL,
    shipping_items TEXT NOT NULL,
    status_name TEXT NOT NULL,
    searchable TEXT NOT NULL,
    listed INTEGER NOT NULL
  )`;

const INSERT = `
  INSERT INTO shippings (id, order_id, shipping_address, tracking_number, status, total_weight, created_date,
    created_by, modified_date, modified_by, is_deleted, shipping_items, status_name, searchable, listed)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

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

/** The form of a search term that is looked for in `searchable`. */
export function toSearchable(text: string, variant: SandboxVariant): string {
  return variant === 'extended' ? foldCase(text) : text;
}

function toColumns(record: ShippingRecord, variant: SandboxVariant): (string | number | null)[] {
  const searched = [record.shippingAddress, record.trackingNumber];
  if (variant === 'extended') searched.push(record.orderId);
  return [
    record.id,
    record.orderId,
    record.shippingAddress,
    record.trackingNumber,
    record.status,
    record.totalWeight,
    record.createdDate,
    record.createdBy,
    record.modifiedDate,
    record.modifiedBy,
    record.isDeleted ? 1 : 0,
    JSON.stringify(record.shippingItems),
    statusNameOf(record.status),
    toSearchable(searched.join(FIELD_SEPARATOR), variant),
    variant === 'extended' && record.isDeleted ? 0 : 1,
  ];
}
