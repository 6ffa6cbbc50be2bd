import type Database from 'libsql';
import type { SandboxVariant } from '../config/sandbox.settings';
import { buildDatabase, toSearchable } from './shipping-database';
import {
  SUMMARY_FIELDS,
  type ShippingItem,
  type ShippingRecord,
  type ShippingSummary,
  type StatusName,
} from './shipping-record';

/** Narrows a list; what is left out does not narrow. */
export interface ListFilter {
  searchTerm?: string;
  orderId?: string;
  status?: StatusName;
  /** Both bounds are included; form `YYYY-MM-DDThh:mm:ss.sssZ`. */
  fromDate?: string;
  toDate?: string;
}

export type SortKey = 'CreatedDate' | 'Status' | 'TrackingNumber';
export type SortDirection = 'asc' | 'desc';

export interface PageCriteria extends ListFilter {
  pageNumber: number;
  pageSize: number;
  sortBy: SortKey;
  sortDirection: SortDirection;
}

/** Identifies one record; everything given must hold. */
export interface SingleCriteria extends Omit<ListFilter, 'searchTerm'> {
  id?: string;
  trackingNumber?: string;
}

const UNPAGED_CAP = 100;
const UNCAPPED = -1;
const REMEMBERED_TOTALS = 1_000;

const SUMMARY_COLUMNS = SUMMARY_FIELDS.map(({ field, column }) => `shippings.${column} AS ${field}`).join(', ');

type SummaryRow = Omit<ShippingSummary, 'isDeleted'> & { isDeleted: number };
type DetailedRow = SummaryRow & { shippingItems: string };

interface Sort {
  order: string;
  index: string;
}

const SORTS: Record<SortKey, Record<SortDirection, Sort>> = {
  CreatedDate: {
    asc: { order: 'created_date', index: 'list_by_created_date' },
    desc: { order: 'created_date DESC', index: 'list_by_created_date' },
  },
  Status: {
    asc: { order: 'status_name', index: 'list_by_status' },
    desc: { order: 'status_name DESC', index: 'list_by_status_descending' },
  },
  TrackingNumber: {
    asc: { order: 'tracking_number', index: 'list_by_tracking_number' },
    desc: { order: 'tracking_number DESC', index: 'list_by_tracking_number' },
  },
};

/** An SQL condition with one place for a value; left out of a query where the value is. */
type Condition = [sql: string, value: string | undefined];

interface Conditions {
  sql: string;
  values: string[];
}

/**
 * Executes the four queries by the rules of one variant:
 *
 * - `extended`: a search looks at address, tracking number and order id, ignoring case; lists leave soft-deleted
 *   records out; the unpaged list ends after 100 records where no limit is given.
 * - `basic`: a search looks at address and tracking number, minding case; lists contain soft-deleted records; the
 *   unpaged list has no cap.
 *
 * Sorting by status goes by the status name (Cancelled, Created, Delivered, InTransit, Unknown), so that absent and
 * unknown texts sort together. Equal keys are ordered by ascending Id, whatever the direction. The records never
 * change once the repository is built.
 */
export class ShippingRepository {
  private readonly database: Database.Database;
  private readonly statements = new Map<string, Database.Statement>();
  private readonly totals = new Map<string, number>();

  constructor(
    records: Iterable<ShippingRecord>,
    private readonly variant: SandboxVariant,
  ) {
    this.database = buildDatabase(records, variant);
  }

  /** The record with that Id, soft-deleted or not. */
  findById(id: string): ShippingRecord | undefined {
    return this.findSingle({ id });
  }

  /** Of the records that meet all criteria, soft-deleted or not: the newest, among equally new ones the smallest Id. */
  findSingle(criteria: SingleCriteria): ShippingRecord | undefined {
    const { sql, values } = allOf([
      ['id = ?', criteria.id],
      ['tracking_number = ?', criteria.trackingNumber],
      ...narrowing(criteria),
    ]);
    const [row] = this.query<DetailedRow>(
      `SELECT ${SUMMARY_COLUMNS}, shipping_items AS shippingItems FROM shippings
       WHERE ${sql} ORDER BY created_date DESC, id LIMIT 1`,
      values,
    );
    return row && { ...toSummary(row), shippingItems: JSON.parse(row.shippingItems) as ShippingItem[] };
  }

  /** The matching records, newest first; at most `limit`, where it is given. */
  list(filter: ListFilter, limit = this.variant === 'extended' ? UNPAGED_CAP : UNCAPPED): ShippingSummary[] {
    return this.select(filter, SORTS.CreatedDate.desc, limit, 0);
  }

  /** One page of the matching records, and how many match in all. A page beyond the end is empty. */
  page(criteria: PageCriteria): { records: ShippingSummary[]; totalCount: number } {
    const { pageNumber, pageSize, sortBy, sortDirection } = criteria;
    const records = this.select(criteria, SORTS[sortBy][sortDirection], pageSize, (pageNumber - 1) * pageSize);
    return { records, totalCount: this.count(criteria) };
  }

  /** Releases the database; no query may follow. */
  close(): void {
    this.statements.clear();
    this.database.close();
  }

  private select(filter: ListFilter, { order, index }: Sort, limit: number, offset: number): ShippingSummary[] {
    const { sql, values } = this.listConditions(filter);
    // The index is named because the planner, knowing nothing of the values, prefers plans that sort in memory.
    const rows = this.query<SummaryRow>(
      `WITH page AS MATERIALIZED (
         SELECT row_number FROM shippings INDEXED BY ${filter.orderId === undefined ? index : 'by_order'}
         WHERE ${sql} ORDER BY ${order}, id LIMIT ? OFFSET ?)
       SELECT ${SUMMARY_COLUMNS} FROM page CROSS JOIN shippings USING (row_number) ORDER BY ${order}, id`,
      [...values, limit, offset],
    );
    return rows.map(toSummary);
  }

  private count(filter: ListFilter): number {
    const { sql, values } = this.listConditions(filter);
    const key = JSON.stringify([sql, values]);
    const known = this.totals.get(key);
    if (known !== undefined) return known;
    const rows = this.query<{ total: number }>(`SELECT count(*) AS total FROM shippings WHERE ${sql}`, values);
    const [{ total }] = rows as [{ total: number }];
    if (this.totals.size >= REMEMBERED_TOTALS) this.totals.clear();
    this.totals.set(key, total);
    return total;
  }

  private listConditions(filter: ListFilter): Conditions {
    const { searchTerm } = filter;
    const searched = searchTerm === undefined ? undefined : toSearchable(searchTerm, this.variant);
    const { sql, values } = allOf([...narrowing(filter), ['instr(searchable, ?) > 0', searched]]);
    return { sql: `listed = 1 AND ${sql}`, values };
  }

  private query<Row>(sql: string, values: (string | number)[]): Row[] {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement.all(values) as Row[];
  }
}

function narrowing(filter: Omit<ListFilter, 'searchTerm'>): Condition[] {
  return [
    ['order_id = ?', filter.orderId],
    ['status_name = ?', filter.status],
    ['created_date >= ?', filter.fromDate],
    ['created_date <= ?', filter.toDate],
  ];
}

function allOf(conditions: Condition[]): Conditions {
  const given = conditions.filter((condition): condition is [string, string] => condition[1] !== undefined);
  return { sql: ['TRUE', ...given.map(([sql]) => sql)].join(' AND '), values: given.map(([, value]) => value) };
}

function toSummary({ isDeleted, ...row }: SummaryRow): ShippingSummary {
  return { ...row, isDeleted: isDeleted === 1 };
}
