/** Statuses that may ask to come back later. */
const RETRIABLE = new Set([429, 503]);
/** Longer timers end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How patient a client is with a service that asks to come back later. */
export interface Patience {
  /** How often one call is repeated at most. */
  readonly maxRetries: number;
  /** How many milliseconds one call waits at most, all its waits together. */
  readonly maxRetryWaitMs: number;
}

/** Milliseconds from now that `Retry-After` names, in seconds or as a date; nothing where it is absent or no such. */
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
   * How long to wait before this answer is asked for again; nothing where it is final: it is no 429 or 503, it does not
   * say when to come back, or that is more than patience allows.
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

/** The outcome of some work, or the reason of the signal as soon as it is aborted. */
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

/** Waits; gives up, and rejects with the reason of the signal, once it is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await orAborted(() => new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))), signal);
  } finally {
    clearTimeout(timer);
  }
}
