/** The statuses after which a request is repeated, where `Retry-After` says when. */
const RETRIABLE = new Set([429, 503]);
/** The longest delay of a timer, in milliseconds; with a longer one it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How often and how long a client waits for a service that asks to try again later. */
export interface Patience {
  /** How often one call is repeated at most. */
  readonly maxRetries: number;
  /** How many milliseconds one call waits at most, all its waits together. */
  readonly maxRetryWaitMs: number;
}

/**
 * The time to wait by `Retry-After`, seconds or a date, in milliseconds; `undefined` where the header is absent or
 * invalid.
 */
export function retryAfterMs({ headers }: Pick<Response, 'headers'>): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The waits of one call. */
export class Waits {
  private retries = 0;
  private waitedMs = 0;

  constructor(private readonly patience: Patience) {}

  /**
   * How long to wait before the request is repeated, in milliseconds; `undefined` where the response is final: it is no
   * 429 or 503, has no `Retry-After`, or the number or time of retries would be exceeded.
   */
  next(response: Response): number | undefined {
    const { maxRetries, maxRetryWaitMs } = this.patience;
    const waitMs = RETRIABLE.has(response.status) ? retryAfterMs(response) : undefined;
    if (waitMs === undefined || waitMs > LONGEST_TIMER_MS) return undefined;
    if (!(this.retries < maxRetries && this.waitedMs + waitMs <= maxRetryWaitMs)) return undefined;
    this.retries += 1;
    this.waitedMs += waitMs;
    return waitMs;
  }
}

/** Resolves or rejects as the work does, but rejects with the reason of the signal as soon as that is aborted. */
export async function orAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's own
      reject(signal.reason);
    };
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Waits; rejects with the reason of the signal as soon as that is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await orAborted(() => new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))), signal);
  } finally {
    clearTimeout(timer);
  }
}
