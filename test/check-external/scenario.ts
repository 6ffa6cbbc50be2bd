import type { Call, Fault, UpstreamResponse, WireRecord } from './broken-system';
import * as faults from './faults';

/** How a fault of `noticed.md` is played. */
export interface Scenario extends Fault {
  readonly env?: Readonly<Record<string, string>>;
  /** What clients request; by default one request for each operation. */
  readonly requests?: readonly string[];
}

export const OPERATIONS = ['paged', 'details', 'single', 'by-id'];
export const LISTS = ['paged', 'details'];
export const LOOKUPS = ['single', 'by-id'];

export const responses = (
  change: (response: UpstreamResponse, call: Call) => unknown,
  operations = OPERATIONS,
): Scenario => ({
  response: (sent, call) => operations.includes(call.operation) && sent.status === 200 && change(sent, call),
});
/** Changes each record. */
export const records = (change: (record: WireRecord, call: Call) => unknown, operations = OPERATIONS): Scenario =>
  responses(({ body }, call) => {
    for (const record of faults.recordsIn(body)) change(record, call);
  }, operations);
export const renames = (names: Readonly<Record<string, string>>): Scenario =>
  records((record) => {
    for (const [name, other] of Object.entries(names)) {
      record[other] = record[name];
      Reflect.deleteProperty(record, name);
    }
  });
export const sets = (
  name: string,
  value: (old: never, record: WireRecord) => unknown,
  operations = OPERATIONS,
): Scenario => records((record) => (record[name] = value(record[name] as never, record)), operations);
export const items = (change: (item: WireRecord) => object): Scenario =>
  sets('ShippingItems', (of: WireRecord[] | undefined) => of?.map((item) => change(item)), LOOKUPS);
export const requests = (
  names: readonly string[],
  value: (old: string) => string,
  operations = OPERATIONS,
): Scenario => ({
  request: ({ query, operation }) => {
    if (!operations.includes(operation)) return;
    for (const name of names) if (query.has(name)) query.set(name, value(query.get(name) ?? ''));
  },
});
export const ignores = (...names: string[]): Scenario => ({
  request: ({ query, operation }) => {
    for (const name of names) if (LISTS.includes(operation)) query.delete(name);
  },
});
export const both = (one: Fault, other: Fault): Scenario => ({
  request: (call) => [one.request?.(call), other.request?.(call)],
  response: (sent, call) => [one.response?.(sent, call), other.response?.(sent, call)],
});

export const hours =
  (count: number) =>
  (date: string | null): string | null =>
    date === null ? null : new Date(Date.parse(date.replace(/Z?$/, 'Z')) + count * 3_600_000).toISOString();
export const asLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
export const responds = (status: number, body: unknown, contentType?: string): Scenario => ({
  response: (sent) => Object.assign(sent, { status, body, contentType }),
});
export const behaves = (behaviour: UpstreamResponse['behaviour'], env?: Scenario['env']): Scenario => ({
  env,
  response: (sent) => (sent.behaviour = behaviour),
});
export const list = (change: (records: WireRecord[], call: Call) => WireRecord[]): Scenario =>
  responses(
    ({ body }, call) => {
      const own = body as { ShippingDetails: WireRecord[] };
      own.ShippingDetails = change(own.ShippingDetails, call);
    },
    ['details'],
  );
