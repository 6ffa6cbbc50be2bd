import { anyReply, detailsReply, inCamelCase, pagedReply, wireItem, wireRecord, wireRecords } from './records';

describe('wire records', () => {
  it('hold every field of the contract', () => {
    expect(Object.keys(wireRecord())).toEqual([
      'Id',
      'OrderId',
      'ShippingAddress',
      'TrackingNumber',
      'Status',
      'TotalWeight',
      'CreatedDate',
      'CreatedBy',
      'ModifiedDate',
      'ModifiedBy',
      'IsDeleted',
      'ShippingItems',
    ]);
    expect(Object.keys(wireItem())).toEqual(['Id', 'Sku', 'Description', 'Quantity', 'Weight']);
  });

  it('take overrides of any type, and lose a field that is overridden with undefined', () => {
    const json = JSON.stringify(
      wireRecord({ TotalWeight: 'heavy', OrderId: undefined, ShippingItems: [wireItem({ Id: 1 })] }),
    );
    expect(JSON.parse(json)).toMatchObject({ TotalWeight: 'heavy', ShippingItems: [{ Id: 1 }] });
    expect(json).not.toContain('OrderId');
  });

  it('differ from each other where there are several, and are the same every time', () => {
    const records = wireRecords(12);
    for (const field of ['Id', 'OrderId', 'TrackingNumber', 'CreatedDate']) {
      expect(new Set(records.map((record) => record[field])).size).toBe(12);
    }
    expect(wireRecords(12)).toEqual(records);
  });

  it('come in a page', () => {
    expect(pagedReply(wireRecords(2), { PageSize: 2 })).toEqual({
      Items: wireRecords(2),
      TotalCount: 2,
      PageNumber: 1,
      PageSize: 2,
      TotalPages: 1,
      HasPreviousPage: false,
      HasNextPage: false,
    });
    expect(pagedReply([])).toMatchObject({ Items: [], TotalCount: 0, TotalPages: 0 });
  });

  it('come in an unpaged list', () => {
    expect(detailsReply(wireRecords(1))).toEqual({ ShippingDetails: wireRecords(1) });
  });

  it('come in one reply for all operations', () => {
    expect(anyReply({ More: 1 })).toEqual({ ...wireRecord(), ...pagedReply(), ...detailsReply(), More: 1 });
  });

  it('can be spelled in camelCase at every depth', () => {
    expect(
      inCamelCase({ Items: [{ TotalWeight: 1, ShippingItems: [{ Sku: 'A' }] }], HasNextPage: false, X: null }),
    ).toEqual({
      items: [{ totalWeight: 1, shippingItems: [{ sku: 'A' }] }],
      hasNextPage: false,
      x: null,
    });
  });
});
