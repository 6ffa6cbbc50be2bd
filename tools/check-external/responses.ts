import { StandardProtocol } from '#src/shipping/gateway/protocol/standard-protocol';
import { CannotTell, must, needed, type CheckedSystem } from './checked-system';

/** Fields that some record should have. Where a field is `null` in all records, the system has another name for it. */
const FIELDS = ['orderId', 'shippingAddress', 'trackingNumber', 'totalWeight', 'createdDate', 'createdBy'] as const;

export const page = (system: CheckedSystem): Promise<unknown> => system.page();
export const list = (system: CheckedSystem): Promise<unknown> => system.list();
export const all = (system: CheckedSystem): Promise<unknown> => system.list({});

export function record(lookup: 'single' | 'byId') {
  return async (system: CheckedSystem): Promise<void> => {
    const failed = system.calls.find(({ failure }) => failure !== undefined)?.operation;
    const reason = failed === undefined ? 'Needs a record: add one' : `See the rule ${failed}-body first`;
    const id = needed(system.samples.id, `${reason}, or name a record with --id`);
    const found = lookup === 'single' ? await system.single({ Id: id }) : await system.byId(id);
    must(found !== undefined, 'No match for the listed or given identifier');
  };
}

/**
 * Checks all responses of an operation so far: no value is malformed, and each of FIELDS has a value in some record.
 */
export function values(operation: string) {
  return (system: CheckedSystem): void => {
    const own = system.calls.filter((call) => call.operation === operation);
    const results = own.flatMap(({ result }) => result?.completeness ?? []);
    const partial = results.filter(({ level }) => level === 'partial') as { cause?: string }[];
    const causes = new Set(partial.map(({ cause }) => (cause ?? 'no cause').replace(/ \(\d+\)/g, '')));
    must(partial.length === 0, `In ${partial.length} of ${own.length} responses: ${[...causes].join('; ')}`);
    const records = system.records(operation);
    needed(records[0], 'Needs a record');
    const missing = FIELDS.filter((field) => records.every((each) => each[field] === null)).join(', ');
    const isStandard = system.parts.protocol instanceof StandardProtocol;
    if (missing !== '' && !isStandard) throw new CannotTell(`Left out: ${missing}`);
    must(missing === '', `Missing from every record: ${missing}`);
  };
}
