import type { CheckedSystem } from './checked-system';
import { CannotCheckError } from './connection';
import { changesPath, wordIn, type GivenSamples, type Samples } from './samples';

/** Chooses samples among the newest records; from the middle, so that filters have records before and after. */
export async function findSamples(system: CheckedSystem, given: GivenSamples): Promise<Samples> {
  const { records, failedList } = await listed(system);
  const usable = records.filter(({ id }) => !changesPath(id));
  const full = usable.filter(
    ({ orderId, trackingNumber, createdDate }) => orderId && trackingNumber && createdDate !== null,
  );
  const searchable = full.filter(({ shippingAddress }) => wordIn(shippingAddress) !== undefined);
  const candidates = [searchable, full, usable].find(({ length }) => length > 0) ?? [];
  const record = candidates[Math.floor(candidates.length / 2)];
  return {
    id: given.id ?? record?.id,
    orderId: given.orderId ?? textOf(record?.orderId),
    trackingNumber: given.trackingNumber ?? textOf(record?.trackingNumber),
    records,
    record,
    failedList,
  };
}

function textOf(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}

/** Of the paged list, otherwise of the unpaged one; the rules report why a list fails. */
async function listed(system: CheckedSystem): Promise<Pick<Samples, 'records' | 'failedList'>> {
  const page = await system.page().catch(() => undefined);
  if (page !== undefined && page.items.length > 0) return { records: page.items };
  const list = await system.list().catch(() => undefined);
  if (list !== undefined && list.length > 0) return { records: list };
  return { records: [], failedList: page === undefined ? 'paged' : list === undefined ? 'details' : undefined };
}

/**
 * The order may be that of other records. A failing lookup is for the rules.
 *
 * @throws {CannotCheckError} where the identifier and the tracking number belong to different records
 */
export async function expectOneRecord(system: CheckedSystem, { id, trackingNumber }: GivenSamples): Promise<void> {
  if (id === undefined || trackingNumber === undefined) return;
  const record = await system.byId(id).catch(() => undefined);
  if (record?.id !== id || record.trackingNumber === trackingNumber) return;
  throw new CannotCheckError('The record of --id has another TrackingNumber than --tracking: name one record');
}
