import { MAX_IDENTIFIER_LENGTH } from '../../../src/shipping/model/parameter-bounds';
import { UpstreamFailure } from '../../../src/resilience/upstream-failure';
import type { ShippingDetail, ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { SHIPPING_STATUSES } from '../../../src/shipping/model/shipping-status';
import { recordsOf, type CheckedSystem } from '../checked-system';
import { cannotTell, fail, failOnFirst, needsRecord, pass, violations, type Finding, type Rule } from '../rule';
import { unknownLike } from '../samples';

const DAY_MS = 86_400_000;
/** What a system might take for a path, a query, a fragment or an encoded character. */
const SPECIAL_ENDINGS = ['/x', '?x=1', '#x', '%20 ü'];
const NOT_FOUND = 'Respond with 404, 204 or null where no record matches.';

const NUMERIC = new Intl.Collator('en', { numeric: true });

/** Lookups of one record. */
export const LOOKUP_RULES: readonly Rule[] = [
  {
    id: 'identifiers',
    title: 'Identifiers match SHIPPING_ID_PATTERN, so that clients can look them up',
    advice: 'Set SHIPPING_ID_PATTERN to a pattern that matches all identifiers.',
    check: checkIdentifiers,
  },
  {
    id: 'by-id-record',
    title: 'The lookup by identifier returns the record that the list shows',
    advice: 'Return the record with the identifier in the path, with the same values as in the lists.',
    needs: ['by-id-body'],
    check: checkRecord,
  },
  ...(['Id', 'OrderId', 'TrackingNumber'] as const).map(criterionRule),
  {
    id: 'single-newest',
    title: 'Where several records match, the lookup returns the newest, then the one with the smallest Id',
    advice: 'Order the matching records by CreatedDate descending, then by Id ascending, and return the first.',
    needs: ['single-order-id', 'details-order-id'],
    check: checkNewest,
  },
  {
    id: 'single-criteria',
    title: 'The criteria of a lookup combine: Status, FromDate and ToDate narrow it',
    advice: 'Return no match where the record does not satisfy all given criteria.',
    needs: ['single-body'],
    check: checkCriteria,
  },
  {
    id: 'by-id-not-found',
    title: 'The lookup by identifier reports an unknown identifier as no match',
    advice: NOT_FOUND,
    needs: ['by-id-body'],
    check: checkByIdNotFound,
  },
  {
    id: 'single-not-found',
    title: 'The lookup by criteria reports unknown values as no match',
    advice: NOT_FOUND,
    needs: ['single-body'],
    check: checkSingleNotFound,
  },
  {
    id: 'by-id-encoding',
    title: 'An identifier with special characters is one path segment',
    advice: 'Split the path before decoding it, and compare the identifier as a whole.',
    needs: ['by-id-not-found'],
    check: checkEncoding,
  },
];

function checkIdentifiers({ samples, settings: { idPattern } }: CheckedSystem): Promise<Finding> {
  const { records } = samples;
  if (records.length === 0) return Promise.resolve(needsRecord(samples, 'Needs a record.'));
  const isAccepted = (id: string): boolean => id.length <= MAX_IDENTIFIER_LENGTH && idPattern.test(id);
  return Promise.resolve(
    failOnFirst([violations(records, ({ id }) => isAccepted(id), 'have an identifier that is refused')]),
  );
}

async function checkRecord(system: CheckedSystem): Promise<Finding> {
  const { id = '', records } = system.samples;
  return sameRecord(await system.byId(id), id, records);
}

async function checkByIdNotFound(system: CheckedSystem): Promise<Finding> {
  return noMatch(await system.byId(unknownLike(system.samples.id)));
}

async function checkSingleNotFound(system: CheckedSystem): Promise<Finding> {
  const { id, orderId, trackingNumber } = system.samples;
  const results = [
    await system.single({ Id: unknownLike(id) }),
    await system.single({ OrderId: unknownLike(orderId) }),
    await system.single({ TrackingNumber: unknownLike(trackingNumber) }),
  ];
  return noMatch(results.find((record) => record !== undefined));
}

function criterionRule(name: 'Id' | 'OrderId' | 'TrackingNumber'): Rule {
  const field = `${name.charAt(0).toLowerCase()}${name.slice(1)}` as 'id' | 'orderId' | 'trackingNumber';
  return {
    id: { Id: 'single-id', OrderId: 'single-order-id', TrackingNumber: 'single-tracking-number' }[name],
    title: `The lookup by criteria finds a record by ${name}`,
    advice: `Return a record with exactly this ${name}.`,
    needs: ['single-body'],
    check: async (system) => {
      const value = system.samples[field];
      if (value === undefined) return needsRecord(system.samples, `Needs a record with ${name}.`);
      const record = await system.single({ [name]: value });
      if (record === undefined) return fail(`No match for the ${name} that was listed or given`);
      return record[field] === value ? pass() : fail(`The record has another ${name}`);
    },
  };
}

function sameRecord(record: ShippingDetail | undefined, id: string, listed: readonly ShippingLookupItem[]): Finding {
  if (record?.id !== id) return fail('The record has another Id');
  const shown = listed.find((candidate) => candidate.id === id);
  const fields = ['orderId', 'shippingAddress', 'trackingNumber', 'status', 'totalWeight', 'createdDate'] as const;
  const differing = shown === undefined ? [] : fields.filter((field) => shown[field] !== record[field]);
  return differing.length === 0 ? pass() : fail(`Other values than in the list: ${differing.join(', ')}`);
}

function noMatch(record: ShippingDetail | undefined): Finding {
  return record === undefined ? pass() : fail('A record is returned for a value that no listed record has');
}

async function checkNewest(system: CheckedSystem): Promise<Finding> {
  const seen = new Map(system.calls.flatMap(recordsOf).map(({ id, orderId }) => [id, orderId]));
  const orders = [...seen.values()];
  const repeated = orders.find((order, index) => order && orders.indexOf(order) !== index) ?? system.samples.orderId;
  const shipments = await system.list({ OrderId: repeated, Limit: system.pageSize });
  const dated = shipments.filter(({ createdDate }) => createdDate !== null);
  if (dated.length < 2) return cannotTell('Needs an order with several shipments: name one with --order.');
  const chosen = await system.single({ OrderId: repeated });
  const newest = dated.map(({ createdDate }) => createdDate ?? '').reduce((a, b) => (a > b ? a : b));
  if (chosen?.createdDate == null || chosen.createdDate < newest) return fail('An older record is returned');
  if (chosen.createdDate > newest) return pass();
  const ids = dated.filter(({ createdDate }) => createdDate === newest).map(({ id }) => id);
  // Systems may compare identifiers as texts or as numbers; soft-deleted records may be missing from the list.
  const isSmallest = ids.every((id) => chosen.id <= id) || ids.every((id) => NUMERIC.compare(chosen.id, id) <= 0);
  return isSmallest ? pass() : fail('Of the newest records, another one than that with the smallest Id is returned');
}

async function checkCriteria(system: CheckedSystem): Promise<Finding> {
  const { record } = system.samples;
  if (record?.createdDate == null) return needsRecord(system.samples, 'Needs a listed record with CreatedDate.');
  const { id: Id, status, createdDate } = record;
  const time = Date.parse(createdDate);
  const narrowed = {
    Status: { Status: SHIPPING_STATUSES.find((other) => other !== status) },
    FromDate: { FromDate: new Date(time + DAY_MS) },
    ToDate: { ToDate: new Date(time - DAY_MS) },
  };
  const ignored: string[] = [];
  for (const [name, criterion] of Object.entries(narrowed)) {
    if ((await system.single({ Id, ...criterion })) !== undefined) ignored.push(name);
  }
  return ignored.length === 0 ? pass() : fail(`Ignored: ${ignored.join(', ')}`);
}

async function checkEncoding(system: CheckedSystem): Promise<Finding> {
  const { id = unknownLike() } = system.samples;
  for (const ending of SPECIAL_ENDINGS) {
    try {
      if ((await system.byId(id + ending)) !== undefined) return fail('The record of another identifier is returned');
    } catch (error) {
      if (!isClientError(error)) throw error;
      return cannotTell('The system refuses special characters: let SHIPPING_ID_PATTERN refuse them, too.');
    }
  }
  return pass();
}

function isClientError(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.reason === 'upstream-error' && !error.countsAgainstCircuit;
}
