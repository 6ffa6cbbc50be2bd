import { z } from 'zod';

const text = z.string().regex(/^[^\u0000-\u001f\u007f]+$/, 'must be one text without control characters');
const date = z.iso.datetime({ precision: 3, error: 'must be a date as YYYY-MM-DDThh:mm:ss.sssZ' });
const digits = z.string().regex(/^[0-9]{1,10}$/, 'must be decimal digits');
const integer = digits.transform(Number);
const count = integer.pipe(z.int().min(1).max(2_147_483_647));

const narrowing = {
  OrderId: text.optional(),
  Status: z.enum(['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown']).optional(),
  FromDate: date.optional(),
  ToDate: date.optional(),
};
const list = { ...narrowing, SearchTerm: text.optional() };

// Unknown names are refused, so that a mistake of the gateway is noticed.
export const noQuery = z.strictObject({});
export const singleQuery = z
  .strictObject({ ...narrowing, Id: text.optional(), TrackingNumber: text.optional() })
  .refine((query) => query.Id ?? query.OrderId ?? query.TrackingNumber, 'Id, OrderId or TrackingNumber is required');

export const detailsQuery = z.strictObject({ ...list, Limit: count.optional() });

export const pageQuery = z.strictObject({
  ...list,
  PageNumber: count,
  PageSize: integer.pipe(z.int().min(1).max(1_000)),
  SortBy: z.enum(['CreatedDate', 'Status', 'TrackingNumber']),
  SortDirection: z.enum(['asc', 'desc']),
});

export type SingleQuery = z.infer<typeof singleQuery>;
export type DetailsQuery = z.infer<typeof detailsQuery>;
export type PageQuery = z.infer<typeof pageQuery>;
