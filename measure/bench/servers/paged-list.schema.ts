const text = { type: 'string' };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };
const date = { ...text, format: 'date-time' };

/** An object that has all of these members. */
function objectOf(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const item = objectOf({
  id: text,
  orderId: text,
  shippingAddress: text,
  trackingNumber: text,
  status: text,
  statusDescription: text,
  totalWeight: { type: 'number' },
  createdDate: text,
  createdBy: text,
  isActive: flag,
});
const paging = { totalCount: integer, pageNumber: integer, pageSize: integer, totalPages: integer };

/** The parameters and the response of the paged list. */
export const schema = {
  querystring: {
    type: 'object',
    properties: {
      SearchTerm: { ...text, maxLength: 200 },
      OrderId: { ...text, maxLength: 64 },
      Status: { ...text, enum: ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'] },
      FromDate: date,
      ToDate: date,
      PageNumber: { ...integer, minimum: 1, default: 1 },
      PageSize: { ...integer, minimum: 1, maximum: 100, default: 10 },
      SortBy: { ...text, enum: ['CreatedDate', 'Status', 'TrackingNumber'], default: 'CreatedDate' },
      SortDirection: { ...text, enum: ['asc', 'desc'], default: 'desc' },
    },
  },
  response: {
    200: objectOf({ items: { type: 'array', items: item }, ...paging, hasPreviousPage: flag, hasNextPage: flag }),
  },
};
