import { Agent } from 'undici';

/** A request, and how it ended. */
export interface Outcome {
  readonly path: string;
  readonly strict: boolean;
  /** Status of the response; 0 where the connection broke, -1 where the client disconnected before its response. */
  readonly status: number;
  /** `complete`, the reason why the response is not complete, or the code of a problem. */
  readonly what: string;
  readonly sentAt: number;
  readonly endedAt: number;
}

interface LoadOptions {
  readonly ratePerSecond: number;
  /** The path of all requests. By default the four operations take turns, and no two requests are alike. */
  readonly path?: string;
  /** One of this many clients disconnects before its response; by default none does. */
  readonly oneLeavesOf?: number;
  /** Requests in progress, beyond which it waits; by default, more than anything here has. */
  readonly maxInFlight?: number;
}

const TICK_MS = 10;
const OPERATIONS = [
  'GetShippingPagedList?OrderId=ORD-',
  'GetShippingInfoById/SHP-',
  'GetShippingDetails?SearchTerm=term-',
  'GetShippingSingle?TrackingNumber=TRK-',
] as const;

/**
 * Sends requests at a fixed rate, as many independent clients do: a slow service does not get fewer of them. Half of the
 * requests have `Prefer: handling=strict`, so that failures of the external system show both as errors and as empty
 * lists.
 */
export class Load {
  /** All requests that have ended, in the order in which they ended. */
  outcomes: Outcome[] = [];
  private readonly agent = new Agent({ connections: 512 });
  private timer: NodeJS.Timeout | undefined;
  private sent = 0;
  private inFlight = 0;

  constructor(
    private readonly url: string,
    private readonly options: LoadOptions,
  ) {}

  start(): void {
    const since = performance.now();
    const { ratePerSecond, maxInFlight = 2_000 } = this.options;
    let due = 0;
    this.timer = setInterval(() => {
      const target = ((performance.now() - since) / 1000) * ratePerSecond;
      for (; due < target; due += 1) if (this.inFlight < maxInFlight) void this.sendOne();
    }, TICK_MS);
  }

  /** Stops sending. Resolves when every request has ended and all connections are closed. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await this.agent.close();
  }

  private async sendOne(): Promise<void> {
    const number = this.sent++;
    const { path = `/api/Shipping/${OPERATIONS[number % 4] ?? ''}${number}`, oneLeavesOf = 0 } = this.options;
    const strict = number % 8 >= 4;
    const signal = oneLeavesOf > 0 && number % oneLeavesOf === 0 ? AbortSignal.timeout(number % 50) : undefined;
    const sentAt = performance.now();
    this.inFlight += 1;
    const broken = (error: unknown) => ({ status: signal?.aborted === true ? -1 : 0, what: String(error) });
    const seen = await this.responseTo(path, strict, signal).catch(broken);
    this.inFlight -= 1;
    this.outcomes.push({ path, strict, ...seen, sentAt, endedAt: performance.now() });
  }

  private async responseTo(path: string, strict: boolean, signal?: AbortSignal) {
    const headers = strict ? { Prefer: 'handling=strict' } : {};
    const response = await this.agent.request({ origin: this.url, path, method: 'GET', headers, signal });
    const body = await response.body.text();
    const completeness = response.headers['shipping-completeness'] as string | undefined;
    const [, what] = /^(?:[a-z]+;reason=)?([a-z-]+)/.exec(completeness ?? '') ?? [];
    const member = (name: string): string | undefined => new RegExp(`"${name}":"([a-z-]+)"`).exec(body)?.[1];
    return { status: response.statusCode, what: what ?? member('reason') ?? member('code') ?? 'other' };
  }
}

/** A text with the number of outcomes of each status and kind. */
export function summary(outcomes: readonly Outcome[]): string {
  return counted(outcomes.map(({ status, what }) => `${status} ${what}`));
}

/** A text with each name and how often it is in the list. */
export function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}
