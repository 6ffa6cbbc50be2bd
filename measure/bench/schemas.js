// What Fastify validates and serialises in the server with libraries.

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const status = { type: 'string', enum: ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'] };
const dateTime = { type: 'string', format: 'date-time' };

const filter = {
  SearchTerm: { type: 'string', maxLength: 200 },
  OrderId: { type: 'string', maxLength: 64 },
  Status: status,
  FromDate: dateTime,
  ToDate: dateTime,
};

/** @param {Record<string, object>} properties */
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });

/** @param {object} items */
const list = (items) => ({ type: 'array', items });

const lookupItem = {
  id: text,
  orderId: text,
  shippingAddress: text,
  trackingNumber: text,
  status: text,
  statusDescription: text,
  totalWeight: number,
  createdDate: text,
};
const listItem = { ...lookupItem, createdBy: text, isActive: boolean };

const pageSchema = {
  querystring: {
    type: 'object',
    properties: {
      ...filter,
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

const lookupSchema = {
  querystring: { type: 'object', properties: { ...filter, Limit: { type: 'integer', minimum: 1 } } },
  response: { 200: list(object({ ...lookupItem, isActive: boolean })) },
};

const detailSchema = {
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

module.exports = { pageSchema, lookupSchema, detailSchema };
