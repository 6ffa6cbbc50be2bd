import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';
import { CannotTell, needed, type CheckedSystem, type Fault } from './checked-system';

/** Fields that are `null` where the system does not send them. */
const FIELDS = ['orderId', 'shippingAddress', 'trackingNumber', 'totalWeight', 'createdDate', 'createdBy'] as const;

const passes = (): Fault => undefined;
const found = (record: object | undefined): Fault =>
  record === undefined && 'No match for the listed or given identifier';

export const page = (system: CheckedSystem): Promise<Fault> => system.page().then(passes);
export const list = (system: CheckedSystem): Promise<Fault> => system.list().then(passes);
export const all = (system: CheckedSystem): Promise<Fault> => system.list({}).then(passes);
export const single = (system: CheckedSystem): Promise<Fault> => system.single({ Id: sampleId(system) }).then(found);
export const byId = (system: CheckedSystem): Promise<Fault> => system.byId(sampleId(system)).then(found);

function sampleId({ samples, calls }: CheckedSystem): string {
  const failed = calls.find(({ failure }) => failure !== undefined)?.operation;
  const reason = failed === undefined ? 'Needs a record: add one' : `See the rule ${failed}-body first`;
  return needed(samples.id, `${reason}, or name a record with --id`);
}

/** Checks all responses of one operation so far. */
export function values(operation: string) {
  return (system: CheckedSystem): Promise<Fault> => {
    const own = system.calls.filter((call) => call.operation === operation);
    const partial = own.filter(({ result }) => result?.completeness.level === 'partial').length;
    if (partial > 0) return Promise.resolve(`Invalid values in ${partial} of ${own.length} responses`);
    const records = system.records(operation);
    const missing = FIELDS.filter((field) => records.every((record) => record[field] === null)).join(', ');
    needed(records[0], 'Needs a record');
    if (missing !== '' && !(system.parts.protocol instanceof StandardProtocol))
      throw new CannotTell(`Left out: ${missing}`);
    return Promise.resolve(missing !== '' && `Missing from every record: ${missing}`);
  };
}
