import type { ShippingLookupItem } from '../../src/shipping/model/shipping-lookup-item';
import type { CheckedSystem } from './checked-system';
import { changesPath, type GivenSamples, type Samples } from './samples';

/** Chooses samples among the newest records; from the middle, so that filters have records before and after. */
export async function findSamples(system: CheckedSystem, given: GivenSamples): Promise<Samples> {
  const records = await listed(system);
  const full = records.filter(
    ({ orderId, trackingNumber, createdDate }) => orderId && trackingNumber && createdDate !== null,
  );
  const candidates = (full.length > 0 ? full : records).filter(({ id }) => !changesPath(id));
  const record = candidates[Math.floor(candidates.length / 2)];
  return {
    id: given.id ?? record?.id,
    orderId: given.orderId ?? textOf(record?.orderId),
    trackingNumber: given.trackingNumber ?? textOf(record?.trackingNumber),
    records,
    record,
  };
}

function textOf(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}

/** Of the paged list, otherwise of the unpaged one; the rules report why a list fails. */
async function listed(system: CheckedSystem): Promise<readonly ShippingLookupItem[]> {
  const page = await system.page().then(
    ({ items }) => items,
    () => [],
  );
  return page.length > 0 ? page : system.list().catch(() => []);
}
