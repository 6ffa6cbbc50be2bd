import { ShippingStatus } from '../../model/shipping-status';
import type { GetShippingDetailsParams } from '../../queries/get-shipping-details/get-shipping-details.query';
import type { GetShippingPagedListParams } from '../../queries/get-shipping-paged-list/get-shipping-paged-list.query';
import type { GetShippingSingleParams } from '../../queries/get-shipping-single/get-shipping-single.query';
import { selectRecords } from './collected-lists';
import { type StandardRecord, toLookupItems, toShippingDetail } from './response-mapping';
import type { FILTERS, NO_FILTERS, UpstreamParameters, UpstreamRequest } from './shipping-protocol';

interface TeamParameters extends UpstreamParameters {
  readonly Carrier?: string;
}
const operation = { name: 'team', path: () => '/team' };

/* Each line below `@ts-expect-error` is an error of the compiler, which `npm run typecheck` expects. */
describe('D85 types catch a name or a status word that does not exist', () => {
  it('in parameters', () => {
    const parameters: UpstreamParameters = { OrderId: 'ORD-1' };
    // @ts-expect-error -- no parameter has this name
    expect(parameters.OrderNumber).toBeUndefined();
    // @ts-expect-error -- no parameter has this name
    const misspelt: UpstreamRequest = { operation, parameters: { orderId: 'ORD-1' } };
    const own: UpstreamRequest<TeamParameters> = { operation, parameters: { Carrier: 'ups', OrderId: 'ORD-1' } };
    const handedOn: UpstreamRequest = own;
    expect([misspelt.operation, handedOn.parameters]).toEqual([operation, { Carrier: 'ups', OrderId: 'ORD-1' }]);
  });

  it('in criteria', () => {
    const records = [{ Id: 'A', Status: 'in_transit' }];
    // @ts-expect-error -- records have no such field
    expect(selectRecords(records, { Carrier: 'ups' })).toEqual(records);
    // @ts-expect-error -- a number of records is no criterion
    expect(selectRecords(records, { Limit: 0 })).toEqual(records);
    expect(selectRecords(records, { Status: ShippingStatus.Created })).toEqual([]);
  });

  it('in records', () => {
    const record: StandardRecord = { Id: 'A', Status: 'in_transit' };
    expect(toShippingDetail(record).body.status).toBe('InTransit');
    // @ts-expect-error -- the name of the status is no word of the wire
    const named: StandardRecord = { Id: 'A', Status: ShippingStatus.InTransit };
    expect(toLookupItems({ ShippingDetails: [named] }).body).toHaveLength(1);
    // @ts-expect-error -- no record has this field
    const misspelt: StandardRecord = { Id: 'A', Adress: 'Berlin' };
    expect(toShippingDetail(misspelt).body.id).toBe('A');
  });

  it('in a parameter of an operation that protocols do not know', () => {
    type Params = GetShippingSingleParams & GetShippingDetailsParams & GetShippingPagedListParams;
    type Forgotten = Exclude<keyof Params, keyof UpstreamParameters>;
    // An error of the compiler in this line names the parameter that `UpstreamParameters` lacks: a class of another wire
    // format would ignore it, and records that nobody asked for would be called complete.
    const isComplete: [Forgotten] extends [never] ? true : Forgotten = true;
    expect(isComplete).toBe(true);
    // As does one in this line of a parameter that neither `FILTERS` nor `NO_FILTERS` has.
    type Unlisted = Exclude<keyof UpstreamParameters, (typeof FILTERS | typeof NO_FILTERS)[number]>;
    const isListed: [Unlisted] extends [never] ? true : Unlisted = true;
    expect(isListed).toBe(true);
  });
});
