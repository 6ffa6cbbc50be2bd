import type { Completeness } from './completeness.ts';
import type { ParameterFault, Problem } from './generated/types.gen.ts';

/** What is known of an answer that is an error. */
export interface AnswerFacts {
  readonly status: number;
  /** `X-Request-Id` of the answer, where there is one. */
  readonly requestId: string | undefined;
  /** Milliseconds that `Retry-After` asks to wait, where it is there. */
  readonly retryAfterMs: number | undefined;
}

/** The service refused or failed to answer, and said why. */
export class ShippingProblem extends Error {
  override readonly name = 'ShippingProblem';
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** Stable name of the kind of problem, such as `shipping-not-found`. */
  readonly code: string;
  /** Bad parameters; empty where none is to blame. */
  readonly errors: readonly ParameterFault[];
  /** Why the external system gave no usable reply, where it did not. */
  readonly reason: Problem['reason'];
  readonly requestId: string | undefined;
  /** Milliseconds that `Retry-After` asks to wait, where it is there. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Pick<Problem, 'code' | 'detail' | 'errors' | 'reason'>, facts: AnswerFacts) {
    super(problem.detail);
    this.status = facts.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.reason = problem.reason;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** An answer that the service does not give: that of a proxy on the way, a redirect, or one that is damaged. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
  readonly status: number;
  readonly requestId: string | undefined;
  /** Milliseconds that `Retry-After` asks to wait, where it is there. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: AnswerFacts) {
    super(message);
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** A page is less complete than the caller of `pages`, `items` or `exportItems` accepts; what came before it was handed over. */
export class IncompleteList extends Error {
  override readonly name = 'IncompleteList';
  readonly completeness: Completeness;
  /** The page; where `pages` and `items` continue. */
  readonly pageNumber: number;
  /** `FromDate` of the page; where `exportItems` continues. */
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

/** Records appeared or vanished while `items` read the list, so that pages have moved; what came before was handed over. */
export class ListChanged extends Error {
  override readonly name = 'ListChanged';

  constructor(
    /** The first page that shows the change. */
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

/** `exportItems` cannot continue: as many records as a page holds share one `createdDate`, or have none. */
export class CrowdedInstant extends Error {
  override readonly name = 'CrowdedInstant';

  constructor(
    /** The `createdDate` that the records share; nothing where all have none. */
    readonly createdDate: string | undefined,
    /** How many records the page holds. */
    readonly count: number,
    readonly requestId: string | undefined,
  ) {
    const shared = createdDate === undefined ? 'have no createdDate' : `have the createdDate ${createdDate}, or none`;
    super(
      `All ${count} records of a page ${shared}: use a larger PageSize where the service allows one, or export by Status`,
    );
  }
}
