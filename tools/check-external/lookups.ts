import { type ShippingDetail, UpstreamFailure } from '#src/index';
import { MAX_IDENTIFIER_LENGTH } from '#src/shipping/model/parameter-rules';
import { SHIPPING_STATUSES } from '#src/shipping/model/shipping-status';
import {
  CannotTell,
  type CheckedSystem,
  isUnsendable,
  must,
  mustAll,
  needed,
  RECORDS,
  unknownLike,
} from './checked-system';

const DAY_MS = 86_400_000;
/** Endings that a system may wrongly take for a path, a query, a fragment or an encoded character. */
const SPECIAL_ENDINGS = ['/x', '?x=1', '#x', '%20 ü'];
/** How many records are looked up besides the sample. */
const MORE_RECORDS = 5;
const NUMERIC = new Intl.Collator('en', { numeric: true });
/** The criteria of which a lookup needs one, with the field of the record that has their value. */
const CRITERIA = { Id: 'id', OrderId: 'orderId', TrackingNumber: 'trackingNumber' } as const;

/** Checks that a lookup finds the record of a listed identifier, or of the one that `--id` gives. */
export function body(lookup: 'single' | 'by-id') {
  return async (system: CheckedSystem): Promise<void> => {
    const failed = system.calls.find(({ failure }) => failure !== undefined)?.operation;
    const reason = failed === undefined ? 'Needs a record: add one' : `See the rule ${failed}-body first`;
    const id = needed(system.samples.id, `${reason}, or name a record with --id`);
    const found = lookup === 'single' ? await system.single({ Id: id }) : await system.byId(id);
    must(found !== undefined, 'No match for the listed or given identifier');
  };
}

export function identifiers({ samples: { records }, settings }: CheckedSystem): void {
  needed(records[0], 'Needs a record');
  const isAccepted = (id: string): boolean => id.length <= MAX_IDENTIFIER_LENGTH && settings.idPattern.test(id);
  mustAll(records, ({ id }) => isAccepted(id), 'have an identifier that is refused');
}

/** Looks up several of the listed records, because one record may lack a field that others have. */
export async function record(system: CheckedSystem): Promise<void> {
  const { id = '', records } = system.samples;
  const step = Math.max(1, Math.floor(records.length / MORE_RECORDS));
  const others = records.filter((each, index) => index % step === 0 && each.id !== id && !isUnsendable(each.id));
  for (const each of [id, ...others.slice(0, MORE_RECORDS).map((other) => other.id)]) {
    const found = await system.byId(each);
    must(found !== undefined, 'A listed record is not found');
    mustAgree(records.find((candidate) => candidate.id === each) ?? {}, found, 'in the list');
  }
}

/** Checks that both lookups return the same record. */
export async function sameRecord(system: CheckedSystem): Promise<void> {
  const { id = '' } = system.samples;
  const [one, other] = [await system.single({ Id: id }), await system.byId(id)];
  mustAgree(needed(one, 'Needs a record'), needed(other, 'Needs a record'), 'by identifier');
}

/** @throws {Broken} naming the fields that both have, with different values */
function mustAgree(one: object, other: object, there: string): void {
  const values = new Map(Object.entries(other).map(([name, value]) => [name, JSON.stringify(value)]));
  const both = Object.entries(one).filter(([name]) => values.has(name) && name !== 'statusDescription');
  const differing = both.flatMap(([name, value]) => (JSON.stringify(value) === values.get(name) ? [] : name));
  must(differing.length === 0, `Other values than ${there}: ${differing.join(', ')}`);
}

/** The gateway refuses a record with another value (D18). */
export function criterion(name: keyof typeof CRITERIA) {
  return async (system: CheckedSystem): Promise<void> => {
    const value = needed(system.samples[CRITERIA[name]], `Needs a record with ${name}`);
    const found = await system.single({ [name]: value });
    must(found !== undefined, `No match for the ${name} that was listed or given`);
  };
}

function mustBeNone(found: ShippingDetail | undefined): void {
  must(found === undefined, 'A record is returned for a value that no record has');
}

export async function newest(system: CheckedSystem): Promise<void> {
  const orders = [...new Map(system.records().map(({ id, orderId }) => [id, orderId])).values()];
  const OrderId = orders.find((order, index) => order && orders.indexOf(order) !== index) ?? system.samples.orderId;
  const matching = (await system.list({ OrderId, Limit: RECORDS })).filter(({ createdDate }) => createdDate);
  if (matching.length < 2) throw new CannotTell('Needs an order with several shipments: name one with --order');
  const { id: own, createdDate } = (await system.single({ OrderId })) ?? { id: '', createdDate: null };
  const date = matching.map((each) => each.createdDate ?? '').reduce((a, b) => (a > b ? a : b));
  must((createdDate ?? '') >= date, 'An older record is returned');
  const ids = matching.filter((each) => each.createdDate === createdDate).map(({ id }) => id);
  // Systems compare identifiers as texts or as numbers, and either is right. The returned Id may be smaller than all
  // these, because a soft-deleted record may be found, but is not listed.
  const isSmallest = ids.every((id) => own <= id) || ids.every((id) => NUMERIC.compare(own, id) <= 0);
  must(isSmallest, 'Of the newest records, that with the smallest Id is not returned');
}

export async function narrowed(system: CheckedSystem): Promise<void> {
  const { id: Id, status, createdDate } = needed(system.samples.record, 'Needs a listed record');
  const time = Date.parse(needed(createdDate, 'Needs a listed record with CreatedDate'));
  const Status = SHIPPING_STATUSES.find((other) => other !== status);
  for (const other of [{ Status }, { FromDate: new Date(time + DAY_MS) }, { ToDate: new Date(time - DAY_MS) }]) {
    must((await system.single({ Id, ...other })) === undefined, `${Object.keys(other).join()} is ignored`);
  }
}

export async function criteriaNotFound(system: CheckedSystem): Promise<void> {
  for (const [name, field] of Object.entries(CRITERIA)) {
    mustBeNone(await system.single({ [name]: unknownLike(system.samples[field]) }));
  }
}

export async function idNotFound(system: CheckedSystem): Promise<void> {
  mustBeNone(await system.byId(unknownLike(system.samples.id)));
}

export async function encoding(system: CheckedSystem): Promise<void> {
  for (const ending of SPECIAL_ENDINGS) {
    mustBeNone(await system.byId(`${system.samples.id ?? ''}${ending}`).catch(refused));
  }
}

/** @throws {CannotTell} where the system refuses the request as invalid */
function refused(error: unknown): never {
  const { refusedBy, status } = error instanceof UpstreamFailure ? error : {};
  if (refusedBy === undefined && status !== 404) throw error;
  throw new CannotTell('The system refuses special characters: let SHIPPING_ID_PATTERN refuse them, too');
}
