/** What came of asking for one request. */
export interface Quota {
  readonly granted: boolean;
  /** How many more there are in this window. */
  readonly remaining: number;
  /** When the window ends, in milliseconds from now. */
  readonly resetMs: number;
  /** Makes the request one that was never counted, unless its window is over. */
  giveBack(): void;
}

/** Counts requests by caller in windows that begin with a caller's first request. */
export interface QuotaCounter {
  /**
   * Asks for one request. What is refused is not counted.
   *
   * @returns `undefined` where nobody can tell
   */
  take(caller: string): Quota | Promise<Quota | undefined>;
}
