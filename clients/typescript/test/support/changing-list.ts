import { page, type Sent } from './stubbed-client.ts';

export interface Stored {
  readonly id: string;
  /** In microseconds: the external system has finer dates than the service. */
  readonly at: number;
}

/** What happens before a page: records come, and others go, by their positions modulo the number of records. */
export interface Change {
  readonly come: readonly number[];
  readonly go: readonly number[];
}

const NOTHING: Change = { come: [], go: [] };

export const millisecondOf = ({ at }: Stored): number => Math.floor(at / 1000);

/** Records that come and go. Those of the same instant have another order each time. */
export class ChangingList {
  readonly everStored: Stored[] = [];
  records: Stored[] = [];
  private pages = 0;

  /** @param excludes whether `FromDate` excludes its own instant */
  constructor(
    instants: readonly number[],
    private readonly changes: readonly Change[] = [],
    private readonly excludes = false,
  ) {
    this.add(instants);
  }

  readonly serve = ({ url }: Sent): Response => {
    const { come, go } = this.changes[this.pages++] ?? NOTHING;
    for (const position of go) this.records.splice(position % Math.max(1, this.records.length), 1);
    this.add(come);
    const from = Date.parse(url.searchParams.get('FromDate') ?? '0000-01-01T00:00Z');
    const [number, size] = ['PageNumber', 'PageSize'].map((name) => Number(url.searchParams.get(name))) as [
      number,
      number,
    ];
    const found = this.records
      .filter(({ at }) => (this.excludes ? at / 1000 > from : at / 1000 >= from))
      .sort((one, other) => one.at - other.at || this.tie(one) - this.tie(other));
    const dateOf = (record: Stored): string => new Date(millisecondOf(record)).toISOString();
    const items = found
      .slice((number - 1) * size, number * size)
      .map((record) => ({ id: record.id, createdDate: dateOf(record) }));
    return page(items, [number, size, found.length]);
  };

  private add(instants: readonly number[]): void {
    for (const at of instants) {
      const stored = { id: `SHP-${this.everStored.length + 1}`, at };
      this.everStored.push(stored);
      this.records.push(stored);
    }
  }

  private tie({ id }: Stored): number {
    return (Number(id.slice(4)) * 7919 * this.pages) % 101;
  }
}
