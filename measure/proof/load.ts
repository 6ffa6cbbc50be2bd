import { Agent, type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The outcome of a request. */
export interface Outcome {
  readonly kind: 'list' | 'lookup';
  readonly path: string;
  readonly strict: boolean;
  /** 0: the connection broke; -1: the client disconnected first. */
  readonly status: number;
  /** `complete`, a reason of failure, the code of another problem, or `wrong body`. */
  readonly what: string;
  readonly sentAt: number;
  readonly endedAt: number;
}

/** What is asked for, and what is right. */
export interface Question {
  readonly kind: 'list' | 'lookup';
  readonly path: string;
  readonly strict?: boolean;
  /** Whether this is the body of a 200; any is, where left out. */
  readonly isRight?: (body: string) => boolean;
}

interface LoadOptions {
  readonly ratePerSecond: number;
  /** The questions by their number; four operations, default and strict clients and no request like another, where left out. */
  readonly ask?: (number: number) => Question;
  /** Of so many clients one disconnects before its response; none by default. */
  readonly oneLeavesOf?: number;
}

const TICK_MS = 10;
const MAX_IN_FLIGHT = 2_000;
const MAX_KEPT = 20_000;
const STRICT = { Prefer: 'handling=strict' };
const OPERATIONS = [
  { kind: 'list', path: '/api/Shipping/GetShippingPagedList?OrderId=ORD-' },
  { kind: 'lookup', path: '/api/Shipping/GetShippingInfoById/SHP-' },
  { kind: 'list', path: '/api/Shipping/GetShippingDetails?SearchTerm=term-' },
  { kind: 'lookup', path: '/api/Shipping/GetShippingSingle?TrackingNumber=TRK-' },
] as const;

/** Steady traffic over keep-alive connections. */
export class Load {
  /** The latest outcomes, in the order in which they ended. */
  outcomes: Outcome[] = [];

  private agent = newAgent();
  private timer: NodeJS.Timeout | undefined;
  private sent = 0;
  private sentAt: number[] = [];
  private inFlight = 0;

  constructor(
    private readonly url: string,
    private readonly options: LoadOptions,
  ) {}

  start(): void {
    const since = performance.now();
    let due = 0;
    this.timer = setInterval(() => {
      const target = ((performance.now() - since) / 1000) * this.options.ratePerSecond;
      for (; due < target; due += 1) if (this.inFlight < MAX_IN_FLIGHT) this.sendOne();
    }, TICK_MS);
  }

  /** Stops sending; resolves when every request has ended and no connection is left. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    this.agent.destroy();
    this.agent = newAgent();
  }

  /** Outcomes of what was sent in this stretch of time. */
  between(from: number, to: number): readonly Outcome[] {
    return this.outcomes.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  }

  /** How many requests were sent in this stretch of time, ended or not. */
  sentBetween(from: number, to: number): number {
    return this.sentAt.filter((at) => at >= from && at <= to).length;
  }

  private sendOne(): void {
    const number = this.sent++;
    const { kind, path, strict = false, isRight } = (this.options.ask ?? anything)(number);
    const sentAt = performance.now();
    this.remember(sentAt);
    this.inFlight += 1;
    const { hostname, port } = new URL(this.url);
    const headers = strict ? STRICT : undefined;
    const outgoing = request({ hostname, port, path, agent: this.agent, headers });
    let left = false;
    outcomeOf(outgoing, isRight).then(
      ({ status, what }) => {
        this.record({ kind, path, strict, status, what, sentAt, endedAt: performance.now() });
      },
      (error: unknown) => {
        const status = left ? -1 : 0;
        this.record({ kind, path, strict, status, what: String(error), sentAt, endedAt: performance.now() });
      },
    );
    if (this.leaves(number)) {
      setTimeout(() => {
        left = true;
        outgoing.destroy();
      }, number % 50);
    }
  }

  private remember(sentAt: number): void {
    this.sentAt.push(sentAt);
    if (this.sentAt.length > 2 * MAX_KEPT) this.sentAt.splice(0, MAX_KEPT);
  }

  private record(outcome: Outcome): void {
    this.inFlight -= 1;
    this.outcomes.push(outcome);
    if (this.outcomes.length > 2 * MAX_KEPT) this.outcomes.splice(0, MAX_KEPT);
  }

  private leaves(number: number): boolean {
    const { oneLeavesOf } = this.options;
    return oneLeavesOf !== undefined && number % oneLeavesOf === 0;
  }
}

function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 512 });
}

/** No request is like another. */
function anything(number: number): Question {
  const { kind, path } = OPERATIONS[number % 4] ?? OPERATIONS[0];
  return { kind, path: `${path}${number}`, strict: number % 8 >= 4 };
}

/** `complete`, `partial`, the reason why it is not, or the code of the problem. */
function whatIs(completeness: string | undefined, body: string): string {
  if (completeness !== undefined)
    return completeness.replace(/^unavailable;reason=([^;]*).*/, '$1').replace(/^partial.*/, 'partial');
  try {
    const { reason, code } = JSON.parse(body) as { reason?: string; code?: string };
    return reason ?? code ?? 'nothing';
  } catch {
    return 'no problem+json';
  }
}

function outcomeOf(
  outgoing: ClientRequest,
  isRight: Question['isRight'] = () => true,
): Promise<Pick<Outcome, 'status' | 'what'>> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      text(incoming).then((body) => {
        const completeness = incoming.headers['shipping-completeness'] as string | undefined;
        const { statusCode: status = 0 } = incoming;
        resolve({ status, what: status === 200 && !isRight(body) ? 'wrong body' : whatIs(completeness, body) });
      }, reject);
    });
    outgoing.end();
  });
}
