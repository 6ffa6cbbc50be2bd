// The external system's paths and the mapping of its records, shared by the hand-written servers.

const STATUS = new Map([
  ['created', 'Created'],
  ['in_transit', 'InTransit'],
  ['delivered', 'Delivered'],
  ['cancelled', 'Cancelled'],
]);

/** @param {any} record */
function listItem(record) {
  const status = STATUS.get(String(record.Status).toLowerCase()) ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate).toISOString(),
    createdBy: record.CreatedBy,
    isActive: !record.IsDeleted,
  };
}

/** @param {any} record */
function lookupItem(record) {
  const status = STATUS.get(String(record.Status).toLowerCase()) ?? 'Unknown';
  return {
    id: record.Id,
    orderId: record.OrderId,
    shippingAddress: record.ShippingAddress,
    trackingNumber: record.TrackingNumber,
    status,
    statusDescription: status,
    totalWeight: record.TotalWeight,
    createdDate: new Date(record.CreatedDate).toISOString(),
    isActive: !record.IsDeleted,
  };
}

/** @param {any} reply */
function page(reply) {
  return {
    items: reply.Items.map(listItem),
    totalCount: reply.TotalCount,
    pageNumber: reply.PageNumber,
    pageSize: reply.PageSize,
    totalPages: reply.TotalPages,
    hasPreviousPage: reply.HasPreviousPage,
    hasNextPage: reply.HasNextPage,
  };
}

/** @param {any} reply */
const lookupItems = (reply) => reply.ShippingDetails.map(lookupItem);

/** @param {any} record */
function detail(record) {
  return {
    ...listItem(record),
    modifiedDate: new Date(`${record.ModifiedDate}Z`).toISOString(),
    modifiedBy: record.ModifiedBy,
    shippingItems: record.ShippingItems.map((/** @type {any} */ item) => ({
      id: item.Id,
      sku: item.Sku,
      description: item.Description,
      quantity: item.Quantity,
      weight: item.Weight,
    })),
  };
}

/** @param {string | undefined} term */
const search = (term) => (term === undefined ? '' : `&SearchTerm=${encodeURIComponent(term)}`);

/** @param {any} query */
function pagePath({ PageNumber = 1, PageSize = 10, SortBy = 'CreatedDate', SortDirection = 'desc', SearchTerm }) {
  const sorting = `SortBy=${SortBy}&SortDirection=${SortDirection}`;
  return `/shippings/paged?PageNumber=${PageNumber}&PageSize=${PageSize}&${sorting}${search(SearchTerm)}`;
}

/** @param {any} query */
const lookupPath = ({ Limit, SearchTerm }) => `/shippings/details?Limit=${Limit}${search(SearchTerm)}`;

/** @param {any} params */
const detailPath = ({ id }) => `/shippings/by-id/${encodeURIComponent(id)}`;

module.exports = { page, lookupItems, detail, pagePath, lookupPath, detailPath };
