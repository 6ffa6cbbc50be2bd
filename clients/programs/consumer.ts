// What a program that uses the client may write, and what it must not; compiled by `tools/clients.ts`, never run.
import {
  CrowdedInstant,
  IncompleteList,
  ListChanged,
  ShippingClient,
  ShippingProblem,
  UnexpectedAnswer,
  type CallOptions,
  type Completeness,
  type ShippingListItem,
} from 'shipping-query-client';

const client = new ShippingClient({
  baseUrl: 'https://shipping.example',
  headers: async () => ({ Authorization: 'Bearer …' }),
  fetch: (url, init) => globalThis.fetch(url, init),
  strict: true,
  maxRetries: 1,
});

export async function use(signal: AbortSignal, options: CallOptions): Promise<void> {
  const single = await client.getShippingSingle({ TrackingNumber: 'T', Status: 'InTransit' }, { signal });
  const address: string | null = single.data.shippingAddress;
  const completeness: Completeness = single.completeness;
  if (completeness.level !== 'complete') completeness.reason satisfies string;

  const later = await client.getShippingDetails({ Limit: 3 }, { ifNoneMatch: single.etag });
  const ids: string[] = later.notModified ? [] : later.data.map(({ id }) => id);
  for await (const item of client.items({ SearchTerm: 'Berlin' }, { accept: ['complete', 'partial'] })) {
    const listed: ShippingListItem = item;
    ids.push(listed.id);
  }
  for await (const { data } of client.pages()) ids.push(String(data.totalCount), String(address));

  for await (const { id } of client.exportItems({ FromDate: '2026-03-01', PageSize: 50 }, { signal })) ids.push(id);

  // @ts-expect-error may be a 304: `notModified` has to be looked at first
  later.data.length;
  // @ts-expect-error options that may hold `ifNoneMatch` may lead to a 304
  (await client.getShippingPagedList({}, options)).data.items;
  // @ts-expect-error nothing identifies the record
  await client.getShippingSingle({ Status: 'Created' });
  // @ts-expect-error a status that does not exist
  await client.getShippingDetails({ Status: 'Lost' });
  // @ts-expect-error a parameter that does not exist
  await client.getShippingDetails({ PageSize: 3 });
  // @ts-expect-error an unavailable page is never accepted
  client.items({}, { accept: ['unavailable'] });
  // @ts-expect-error an export has its own order
  client.exportItems({ SortBy: 'Status' });
  // @ts-expect-error pages are not requested conditionally
  client.pages({}, { ifNoneMatch: '"tag"' });
  // @ts-expect-error may be null
  address.length;
}

export function describe(error: unknown): string {
  if (error instanceof ShippingProblem)
    return `${error.status} ${error.code} ${error.reason ?? ''} ${error.errors.length}`;
  if (error instanceof IncompleteList) return `${error.pageNumber} ${error.completeness.level}`;
  if (error instanceof ListChanged) return `${error.totalCountBefore} ${error.totalCountNow}`;
  if (error instanceof CrowdedInstant) return `${error.createdDate ?? ''} ${error.count}`;
  return error instanceof UnexpectedAnswer ? String(error.status) : 'other';
}
