// Reads all four operations with types made afresh by openapi-typescript; compiled and run by `npm run client:second`.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

const [baseUrl = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

/** Fails where an answer is none, or does not say that it is complete; answers here come from a sound system. */
function complete<Data>(name: string, { data, response }: { data?: Data; response: Response }): Data {
  const completeness = response.headers.get('Shipping-Completeness');
  if (data === undefined || completeness !== 'complete') {
    throw new Error(`${name} answered ${response.status}, ${completeness}`);
  }
  console.log(`${name}: ${response.status}, ${completeness}`);
  return data;
}

function agree(name: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${name} is ${String(found)}, not ${String(expected)}`);
}

const page = complete(
  'GetShippingPagedList',
  await client.GET('/api/Shipping/GetShippingPagedList', {
    params: { query: { PageSize: 2, Status: 'InTransit' }, header: { Prefer: 'handling=strict' } },
  }),
);
const first: components['schemas']['ShippingListItem'] | undefined = page.items[0];
if (first === undefined) throw new Error('The page is empty');
agree('items of the page', page.items.length, 2);
agree('status of the filter', first.status, 'InTransit' satisfies components['schemas']['ShippingStatus']);

const byId = complete(
  'GetShippingInfoById',
  await client.GET('/api/Shipping/GetShippingInfoById/{id}', { params: { path: { id: first.id } } }),
);
agree('record by identifier', byId.id, first.id);
const weights: (number | null)[] = byId.shippingItems.map(({ weight }) => weight);
agree('weights', weights.length, byId.shippingItems.length);

const single = complete(
  'GetShippingSingle',
  await client.GET('/api/Shipping/GetShippingSingle', { params: { query: { Id: first.id } } }),
);
agree('single record', single.trackingNumber, byId.trackingNumber);

const listed = complete(
  'GetShippingDetails',
  await client.GET('/api/Shipping/GetShippingDetails', { params: { query: { Limit: 3 } } }),
);
agree('listed records', listed.length, 3);

const missing = await client.GET('/api/Shipping/GetShippingInfoById/{id}', { params: { path: { id: 'SHP-999999' } } });
if (missing.error === undefined) throw new Error('A record that does not exist was found');
agree('code of the problem', missing.error.code, 'shipping-not-found');
console.log(`GetShippingInfoById: ${missing.response.status}, ${missing.error.code}`);

// Types that let everything pass would compile too; these must not.
export const refused = (): unknown[] => [
  // @ts-expect-error a status that does not exist
  client.GET('/api/Shipping/GetShippingDetails', { params: { query: { Status: 'Lost' } } }),
  // @ts-expect-error a path that does not exist
  client.GET('/api/Shipping/GetShippingByCarrier', {}),
  // @ts-expect-error the identifier is missing
  client.GET('/api/Shipping/GetShippingInfoById/{id}', {}),
  // @ts-expect-error it may be null
  byId.orderId.length,
  // @ts-expect-error lookup items do not tell who created them
  listed[0]?.createdBy,
];
