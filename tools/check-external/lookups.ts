import { UpstreamFailure } from '../../src/resilience/upstream-failure';
import { MAX_IDENTIFIER_LENGTH } from '../../src/shipping/model/parameter-bounds';
import type { ShippingDetail } from '../../src/shipping/model/response-bodies';
import { SHIPPING_STATUSES } from '../../src/shipping/model/shipping-status';
import { CannotTell, needed, RECORDS, unknownLike, violations, type CheckedSystem, type Fault } from './checked-system';

const DAY_MS = 86_400_000;
/** What a system might take for a path, a query, a fragment or an encoded character. */
const SPECIAL_ENDINGS = ['/x', '?x=1', '#x', '%20 ü'];
const NUMERIC = new Intl.Collator('en', { numeric: true });
/** The criteria that identify, with the field that has their value. */
const CRITERIA = { Id: 'id', OrderId: 'orderId', TrackingNumber: 'trackingNumber' } as const;

function noRecord(record: ShippingDetail | undefined): Fault {
  return record !== undefined && 'A record is returned for a value that no record has';
}

export function identifiers({ samples: { records }, parts: { settings } }: CheckedSystem): Promise<Fault> {
  if (records.length === 0) throw new CannotTell('Needs a record');
  const isAccepted = (id: string): boolean => id.length <= MAX_IDENTIFIER_LENGTH && settings.idPattern.test(id);
  return Promise.resolve(violations(records, ({ id }) => isAccepted(id), 'have an identifier that is refused'));
}

export async function record(system: CheckedSystem): Promise<Fault> {
  const { id = '', records } = system.samples;
  const found = await system.byId(id);
  if (found?.id !== id) return 'The record has another Id';
  const shown = records.find((candidate) => candidate.id === id);
  const fields = ['orderId', 'shippingAddress', 'trackingNumber', 'status', 'totalWeight', 'createdDate'] as const;
  const differing = fields.filter((field) => shown !== undefined && shown[field] !== found[field]);
  return differing.length > 0 && `Other values than in the list: ${differing.join(', ')}`;
}

export function criterion(name: keyof typeof CRITERIA) {
  return async (system: CheckedSystem): Promise<Fault> => {
    const value = needed(system.samples[CRITERIA[name]], `Needs a record with ${name}`);
    const found = await system.single({ [name]: value });
    if (found === undefined) return `No match for the ${name} that was listed or given`;
    return found[CRITERIA[name]] !== value && `The record has another ${name}`;
  };
}

export async function newest(system: CheckedSystem): Promise<Fault> {
  const orders = [...new Map(system.records().map(({ id, orderId }) => [id, orderId])).values()];
  const OrderId = orders.find((order, index) => order && orders.indexOf(order) !== index) ?? system.samples.orderId;
  const matching = (await system.list({ OrderId, Limit: RECORDS })).filter(({ createdDate }) => createdDate);
  if (matching.length < 2) throw new CannotTell('Needs an order with several shipments: name one with --order');
  const { id: own, createdDate } = (await system.single({ OrderId })) ?? { id: '', createdDate: null };
  const date = matching.map((each) => each.createdDate ?? '').reduce((a, b) => (a > b ? a : b));
  if ((createdDate ?? '') < date) return 'An older record is returned';
  const ids = matching.filter((each) => each.createdDate === createdDate).map(({ id }) => id);
  // Systems may compare identifiers as texts or as numbers; soft-deleted records may be missing from the list.
  const isSmallest = ids.every((id) => own <= id) || ids.every((id) => NUMERIC.compare(own, id) <= 0);
  return !isSmallest && 'Of the newest records, that with the smallest Id is not returned';
}

export async function narrowed(system: CheckedSystem): Promise<Fault> {
  const { id: Id, status, createdDate } = needed(system.samples.record, 'Needs a listed record');
  const time = Date.parse(needed(createdDate, 'Needs a listed record with CreatedDate'));
  const Status = SHIPPING_STATUSES.find((other) => other !== status);
  for (const other of [{ Status }, { FromDate: new Date(time + DAY_MS) }, { ToDate: new Date(time - DAY_MS) }]) {
    if ((await system.single({ Id, ...other })) !== undefined) return `${Object.keys(other).join()} is ignored`;
  }
  return undefined;
}

export async function criteriaNotFound(system: CheckedSystem): Promise<Fault> {
  for (const [name, field] of Object.entries(CRITERIA)) {
    const found = await system.single({ [name]: unknownLike(system.samples[field]) });
    if (found !== undefined) return noRecord(found);
  }
  return undefined;
}

export async function idNotFound(system: CheckedSystem): Promise<Fault> {
  return noRecord(await system.byId(unknownLike(system.samples.id)));
}

export async function encoding(system: CheckedSystem): Promise<Fault> {
  for (const ending of SPECIAL_ENDINGS) {
    const found = await system.byId(`${system.samples.id ?? ''}${ending}`).catch(refused);
    if (found !== undefined) return noRecord(found);
  }
  return undefined;
}

/** @throws {CannotTell} where the system refuses the request */
function refused(error: unknown): never {
  const { status = 0 } = error instanceof UpstreamFailure ? error : {};
  if (status < 400 || status >= 500) throw error;
  throw new CannotTell('The system refuses special characters: let SHIPPING_ID_PATTERN refuse them, too');
}
