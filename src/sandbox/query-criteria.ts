import { badRequest, QueryReader, required } from './query-reader';
import { STATUS_NAMES } from './shipping-record';
import type { ListFilter, PageCriteria, SingleCriteria } from './shipping.repository';

/** A parsed query string, as the HTTP server hands it over. */
export type RawQuery = Readonly<Record<string, unknown>>;

const LARGEST_PAGE = 1000;
const NARROWING = ['OrderId', 'Status', 'FromDate', 'ToDate'] as const;
const LIST = ['SearchTerm', ...NARROWING] as const;

/** Refuses every parameter: the identifier in the path is all there is. */
export function readNoParameters(query: RawQuery): void {
  new QueryReader(query, []);
}

/** @throws BadRequestException also where no Id, OrderId or TrackingNumber is given. */
export function readSingleCriteria(query: RawQuery): SingleCriteria {
  const reader = new QueryReader(query, ['Id', 'TrackingNumber', ...NARROWING]);
  const id = reader.text('Id');
  const trackingNumber = reader.text('TrackingNumber');
  const narrowing = readNarrowing(reader);
  if ((id ?? trackingNumber ?? narrowing.orderId) === undefined) {
    throw badRequest('One of Id, OrderId, TrackingNumber is required');
  }
  return { id, trackingNumber, ...narrowing };
}

/** @throws BadRequestException naming the first bad parameter. */
export function readDetailsCriteria(query: RawQuery): ListFilter & { limit?: number } {
  const reader = new QueryReader(query, [...LIST, 'Limit']);
  return { ...readNarrowing(reader), searchTerm: reader.text('SearchTerm'), limit: reader.integer('Limit') };
}

/** @throws BadRequestException also where a page or sort parameter is absent: callers always send all four. */
export function readPageCriteria(query: RawQuery): PageCriteria {
  const reader = new QueryReader(query, [...LIST, 'PageNumber', 'PageSize', 'SortBy', 'SortDirection']);
  return {
    ...readNarrowing(reader),
    searchTerm: reader.text('SearchTerm'),
    pageNumber: required('PageNumber', reader.integer('PageNumber')),
    pageSize: required('PageSize', reader.integer('PageSize', LARGEST_PAGE)),
    sortBy: required('SortBy', reader.choice('SortBy', ['CreatedDate', 'Status', 'TrackingNumber'])),
    sortDirection: required('SortDirection', reader.choice('SortDirection', ['asc', 'desc'])),
  };
}

function readNarrowing(reader: QueryReader<(typeof NARROWING)[number]>): Omit<ListFilter, 'searchTerm'> {
  return {
    orderId: reader.text('OrderId'),
    status: reader.choice('Status', STATUS_NAMES),
    fromDate: reader.date('FromDate'),
    toDate: reader.date('ToDate'),
  };
}
