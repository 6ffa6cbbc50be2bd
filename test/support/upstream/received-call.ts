/**
 * How a call ended: its behaviour ran its course (`finished`, which includes behaviours that break the connection
 * themselves), the client closed the connection first (`aborted`), or the upstream hung up (`closed`).
 */
export type Outcome = 'finished' | 'aborted' | 'closed';

/** The head of a request, as it stood on the wire. */
export interface RequestHead {
  readonly method: string;
  /** The raw request target: path and query, nothing decoded. */
  readonly target: string;
  readonly httpVersion: string;
  /** Names and values in the order and spelling of the wire. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
}

/** One request that reached the upstream. */
export class ReceivedCall implements RequestHead {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: RequestHead['rawHeaders'];
  /** Lower-cased names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw path, nothing decoded. */
  readonly path: string;
  /** The raw query string without its question mark; empty where there is none. */
  readonly query: string;
  readonly params: URLSearchParams;
  /** Milliseconds of the monotonic clock (`performance.now()`). */
  readonly receivedAt = performance.now();
  /** Settles when the call has ended, whatever way. */
  readonly outcome: Promise<Outcome>;

  private ended: Outcome | undefined;
  private resolveOutcome!: (outcome: Outcome) => void;

  constructor(
    head: RequestHead,
    /** Tells connections apart: two calls with one id came over the same socket. */
    readonly socketId: number,
  ) {
    this.method = head.method;
    this.target = head.target;
    this.httpVersion = head.httpVersion;
    this.rawHeaders = head.rawHeaders;
    this.headers = joined(head.rawHeaders);
    const mark = head.target.indexOf('?');
    this.path = mark < 0 ? head.target : head.target.slice(0, mark);
    this.query = mark < 0 ? '' : head.target.slice(mark + 1);
    this.params = new URLSearchParams(this.query);
    this.outcome = new Promise((resolve) => (this.resolveOutcome = resolve));
  }

  /** Whether the client closed the connection before the response was complete. */
  get aborted(): boolean {
    return this.ended === 'aborted';
  }

  /** Whether the call has ended, whatever way. */
  get settled(): boolean {
    return this.ended !== undefined;
  }

  /** For the upstream alone: says how the call ended. Only the first word counts. */
  settle(outcome: Outcome): void {
    this.ended ??= outcome;
    this.resolveOutcome(this.ended);
  }
}

function joined(rawHeaders: RequestHead['rawHeaders']): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of rawHeaders) {
    const key = name.toLowerCase();
    const earlier = values.get(key);
    values.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(values);
}
