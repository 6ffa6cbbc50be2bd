/** What Fastify validates and serialises in the server with libraries. */

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };

function object(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function list(items: object): object {
  return { type: 'array', items };
}

const listItem = {
  id: text,
  orderId: text,
  shippingAddress: text,
  trackingNumber: text,
  status: text,
  statusDescription: text,
  totalWeight: number,
  createdDate: text,
  createdBy: text,
  isActive: boolean,
};

export const pageSchema = {
  querystring: {
    type: 'object',
    properties: {
      SearchTerm: { type: 'string', maxLength: 200 },
      OrderId: { type: 'string', maxLength: 64 },
      Status: { type: 'string', enum: ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'] },
      FromDate: { type: 'string', format: 'date-time' },
      ToDate: { type: 'string', format: 'date-time' },
      PageNumber: { type: 'integer', minimum: 1, default: 1 },
      PageSize: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      SortBy: { type: 'string', enum: ['CreatedDate', 'Status', 'TrackingNumber'], default: 'CreatedDate' },
      SortDirection: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
    },
  },
  response: {
    200: object({
      items: list(object(listItem)),
      totalCount: integer,
      pageNumber: integer,
      pageSize: integer,
      totalPages: integer,
      hasPreviousPage: boolean,
      hasNextPage: boolean,
    }),
  },
};

export const detailSchema = {
  params: object({ id: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' } }),
  response: {
    200: object({
      ...listItem,
      modifiedDate: text,
      modifiedBy: text,
      shippingItems: list(object({ id: text, sku: text, description: text, quantity: integer, weight: number })),
    }),
  },
};
