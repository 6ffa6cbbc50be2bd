import { type ShippingLookupItem, ShippingStatus } from '#src/index';
import { SHIPPING_STATUSES } from '#src/shipping/model/shipping-status';
import type { GetShippingDetailsParams as Filters } from '#src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { CannotTell, type CheckedSystem, must, mustAll, needed, unknownLike, wordIn } from './checked-system';

type Holds = (record: ShippingLookupItem) => boolean;
type FilterCheck = (list: 'paged' | 'details') => (system: CheckedSystem) => Promise<void>;

const none: Holds = () => false;

export const orderId = filterCheck(({ samples }) => {
  const OrderId = needed(samples.orderId, 'Needs a record with OrderId');
  const part = OrderId.slice(0, -1) || OrderId;
  return [
    [{ OrderId }, (found) => found.orderId === OrderId, true],
    [{ OrderId: unknownLike(OrderId) }, none, false],
    // A system that looks for a part of the value finds records of other orders.
    [{ OrderId: part }, (found) => found.orderId === part, false],
  ];
});

/**
 * Sends every status. A system with another word for a status returns records that the service shows as `Unknown`,
 * which is a fault, or returns none, which is a fault only if there are records with this status.
 */
export const status = filterCheck(({ samples: { record } }) => {
  const own = needed(record, 'Needs a record').status;
  const all = SHIPPING_STATUSES.filter((each) => each !== ShippingStatus.Unknown);
  return all.map((Status) => [{ Status }, (found) => found.status === Status, Status === own ? true : 'if any']);
});

export const searchTerm = filterCheck(({ samples: { trackingNumber, record } }) => {
  const what = 'Needs a record with TrackingNumber, and a word of four letters in its ShippingAddress';
  const [number, word] = [needed(trackingNumber, what), needed(wordIn(record?.shippingAddress), what)];
  return [
    [{ SearchTerm: number }, contains(number), true],
    [{ SearchTerm: word }, contains(word), true],
    [{ SearchTerm: unknownLike(number) }, none, false],
  ];
});

export const fromDate = dateCheck('FromDate', (time, bound) => time >= bound);
export const toDate = dateCheck('ToDate', (time, bound) => time <= bound);

/** A bound one millisecond beyond all samples has to exclude them; the date of a sample as bound has to include it. */
function dateCheck(name: 'FromDate' | 'ToDate', lies: (time: number, bound: number) => boolean): FilterCheck {
  return filterCheck(({ samples: { record, records }, calls }) => {
    const what = 'Needs a record with CreatedDate and OrderId';
    const at = Date.parse(needed(record?.createdDate, what));
    const times = records.flatMap(({ createdDate }) => (createdDate === null ? [] : [Date.parse(createdDate)]));
    const beyond = name === 'FromDate' ? Math.max(...times) + 1 : Math.min(...times) - 1;
    const holds = (bound: number): Holds => (found) => lies(Date.parse(found.createdDate ?? ''), bound); // prettier-ignore
    // The bound has milliseconds. Where the system has finer fractions of a second, it may lie before the record whose
    // date it is, and exclude that record.
    const isExact = !/:\d\d\.\d{4}/.test(JSON.stringify(calls.map(({ responses }) => responses)));
    const OrderId = needed(record?.orderId, what);
    // A record has to match the order id and the date, because criteria combine with AND (D11).
    const holdsBoth: Holds = (found) => holds(at)(found) && found.orderId === OrderId;
    return [
      [{ [name]: new Date(beyond) }, holds(beyond), false],
      [{ OrderId, [name]: new Date(at) }, holdsBoth, isExact],
    ];
  });
}

/**
 * @param cases filters, what must hold for all records found, and whether one must be found; `if any`: the rule cannot
 * be told otherwise
 */
function filterCheck(cases: (system: CheckedSystem) => (readonly [Filters, Holds, boolean | 'if any'])[]): FilterCheck {
  return (list) => async (system) => {
    const absent: string[] = [];
    for (const [filters, holds, finds] of cases(system)) {
      const records = await system.matching(list, filters);
      const names = Object.keys(filters).join(' and ');
      must(finds !== true || records.length > 0, `A listed record is not found by ${names}`);
      mustAll(records, holds, `do not match ${names}`);
      if (finds === 'if any' && records.length === 0) absent.push(Object.values(filters).join());
    }
    if (absent.length > 0) throw new CannotTell(`Needs a record with ${absent.join(', ')}: none was found`);
  };
}

function contains(term: string): Holds {
  return ({ shippingAddress, trackingNumber, orderId: order }) =>
    [shippingAddress, trackingNumber, order].some((text) => folded(text ?? '').includes(folded(term)));
}

/** Removes case and accents, which systems may ignore in a search. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase();
}
