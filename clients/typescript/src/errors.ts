import type { Completeness } from './completeness.ts';
import type { ParameterFault, Problem } from './generated/types.gen.ts';

/** What the status and the headers of an error response say. */
export interface ResponseFacts {
  readonly status: number;
  /** `X-Request-Id` of the response, where it has one. */
  readonly requestId: string | undefined;
  /** Milliseconds that `Retry-After` asks to wait, where the response has this header. */
  readonly retryAfterMs: number | undefined;
}

/** The service has refused the request or failed; `code` and `message` say why. */
export class ShippingProblem extends Error {
  override readonly name = 'ShippingProblem';
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** Stable name of the kind of problem, such as `shipping-not-found`. */
  readonly code: string;
  /** The invalid parameters; empty for problems of another kind. */
  readonly errors: readonly ParameterFault[];
  /** Why the external system gave no usable response, where that is the problem. */
  readonly reason: Problem['reason'];
  readonly requestId: string | undefined;
  /** Milliseconds that `Retry-After` asks to wait, where it is there. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Pick<Problem, 'code' | 'detail' | 'errors' | 'reason'>, facts: ResponseFacts) {
    super(problem.detail);
    this.status = facts.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.reason = problem.reason;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** A response that does not come from the service, such as that of a proxy or a redirect, or that is damaged. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  readonly status: number;
  readonly requestId: string | undefined;
  /** Milliseconds that `Retry-After` asks to wait, where it is there. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ResponseFacts) {
    super(message);
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/**
 * A page is less complete than the option `accept` of `pages`, `items` or `exportItems` allows. Everything before it
 * was yielded.
 */
export class IncompleteList extends Error {
  override readonly name = 'IncompleteList';
  readonly completeness: Completeness;
  /** The number of the page, from which `pages` and `items` can be called again. */
  readonly pageNumber: number;
  /** `FromDate` of the page, from which `exportItems` can be called again. */
  readonly fromDate: string | undefined;
  readonly requestId: string | undefined;

  constructor(
    completeness: Completeness,
    page: { readonly PageNumber: number; readonly FromDate?: string | undefined },
    requestId: string | undefined,
  ) {
    super(`Page ${page.PageNumber} is ${completeness.level} (${completeness.reason ?? 'no reason'})`);
    this.completeness = completeness;
    this.pageNumber = page.PageNumber;
    this.fromDate = page.FromDate;
    this.requestId = requestId;
  }
}

/**
 * Records were added or removed while `items` read the list, so that records have moved to other pages and some may
 * have been left out. Everything before this page was yielded.
 */
export class ListChanged extends Error {
  override readonly name = 'ListChanged';

  constructor(
    /** The first page with another `totalCount`. */
    readonly pageNumber: number,
    /** `totalCount` of the pages before. */
    readonly totalCountBefore: number,
    /** `totalCount` of this page. */
    readonly totalCountNow: number,
    readonly requestId: string | undefined,
  ) {
    super(`totalCount was ${totalCountBefore} and is ${totalCountNow} on page ${pageNumber}: records may be missing`);
  }
}

/**
 * `exportItems` cannot continue: as many records as a page holds share one `createdDate`, or have none. The next page,
 * which begins at this date, would have the same records again.
 */
export class CrowdedInstant extends Error {
  override readonly name = 'CrowdedInstant';

  constructor(
    /** The `createdDate` that the records share; `undefined` where all have none. */
    readonly createdDate: string | undefined,
    /** How many records the page has. */
    readonly count: number,
    readonly requestId: string | undefined,
  ) {
    const shared = createdDate === undefined ? 'have no createdDate' : `have the createdDate ${createdDate}, or none`;
    super(
      `All ${count} records of a page ${shared}: use a larger PageSize where the service allows one, or export by Status`,
    );
  }
}
