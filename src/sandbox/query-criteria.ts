import { BadRequestException } from '@nestjs/common';
import { STATUS_NAMES } from './shipping-record';
import type { ListFilter, PageCriteria, SingleCriteria } from './shipping.repository';

const DIGITS = /^[0-9]{1,10}$/;
const LARGEST_INTEGER = 2_147_483_647;
const UTC_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** A refused request: 400 with `{ Error }`. */
export function badRequest(message: string): BadRequestException {
  return new BadRequestException({ Error: message });
}

/**
 * Reads the parameters of a query string strictly: names are spelled exactly, each is given at most once and none is
 * empty, so that an error of the client is reported.
 */
export class QueryReader<Name extends string> {
  private readonly values = new Map<string, string>();

  /**
   * @param query - what the query string was parsed into; a parameter given twice is an array
   * @param names - the parameters the operation knows
   * @throws BadRequestException naming the first unknown, repeated, empty or unprintable parameter
   */
  constructor(query: Readonly<Record<string, unknown>>, names: readonly Name[]) {
    for (const [name, value] of Object.entries(query)) {
      if (!(names as readonly string[]).includes(name)) throw badRequest(`Unknown parameter ${name}`);
      if (typeof value !== 'string') throw badRequest(`${name} is given more than once`);
      if (value === '') throw badRequest(`${name} is empty`);
      if (CONTROL_CHARACTER.test(value)) throw badRequest(`${name} holds a control character`);
      this.values.set(name, value);
    }
  }

  /** The text of a parameter that may be absent. */
  text(name: Name): string | undefined {
    return this.values.get(name);
  }

  /** One of the given texts, in exactly that spelling. */
  choice<Choice extends string>(name: Name, choices: readonly Choice[]): Choice | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) throw badRequest(`${name} must be one of ${choices.join(', ')}`);
    return chosen;
  }

  /** Decimal digits from 1 to `maximum`. */
  integer(name: Name, maximum = LARGEST_INTEGER): number | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!DIGITS.test(value) || number < 1 || number > maximum) {
      throw badRequest(`${name} must be an integer from 1 to ${maximum}`);
    }
    return number;
  }

  /** An existing moment as `YYYY-MM-DDThh:mm:ss.sssZ`. */
  date(name: Name): string | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const time = UTC_DATE.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time) || new Date(time).toISOString() !== value) {
      throw badRequest(`${name} must be a date as YYYY-MM-DDThh:mm:ss.sssZ`);
    }
    return value;
  }
}

/** The value itself; 400 where it is absent. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw badRequest(`${name} is required`);
  return value;
}

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
