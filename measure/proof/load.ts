import { Agent, type ClientRequest, request } from 'node:http';

/** How a caller was answered. */
export interface Answer {
  readonly kind: 'list' | 'lookup';
  readonly path: string;
  readonly strict: boolean;
  /** 0: the connection broke; -1: the caller left first. */
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
  /** The questions by their number; four operations, default and strict callers and no request like another, where left out. */
  readonly ask?: (number: number) => Question;
  /** Of so many callers one leaves before its answer; none by default. */
  readonly oneLeavesOf?: number;
}

const TICK_MS = 10;
const MAX_IN_FLIGHT = 2_000;
const MAX_KEPT = 20_000;
const STRICT = { Prefer: 'handling=strict' };

/** Steady traffic over keep-alive connections. */
export class Load {
  /** The latest answers, in the order in which they ended. */
  answers: Answer[] = [];

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

  /** Stops sending; resolves when everybody has been answered and no connection is left. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    this.agent.destroy();
    this.agent = newAgent();
  }

  /** Answers to what was sent in this stretch of time. */
  between(from: number, to: number): readonly Answer[] {
    return this.answers.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  }

  /** How many requests were sent in this stretch of time, answered or not. */
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
    answerOf(outgoing, isRight).then(
      ({ status, what }) => {
        this.answered({ kind, path, strict, status, what, sentAt, endedAt: performance.now() });
      },
      (error: unknown) => {
        const status = left ? -1 : 0;
        this.answered({ kind, path, strict, status, what: String(error), sentAt, endedAt: performance.now() });
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

  private answered(answer: Answer): void {
    this.inFlight -= 1;
    this.answers.push(answer);
    if (this.answers.length > 2 * MAX_KEPT) this.answers.splice(0, MAX_KEPT);
  }

  private leaves(number: number): boolean {
    const { oneLeavesOf } = this.options;
    return oneLeavesOf !== undefined && number % oneLeavesOf === 0;
  }
}

function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 512 });
}

function anything(number: number): Question {
  const [kind, path] = pathOf(number);
  return { kind, path, strict: number % 8 >= 4 };
}

function pathOf(number: number): [kind: 'list' | 'lookup', path: string] {
  switch (number % 4) {
    case 0:
      return ['list', `/api/Shipping/GetShippingPagedList?OrderId=ORD-${number}`];
    case 1:
      return ['lookup', `/api/Shipping/GetShippingInfoById/SHP-${number}`];
    case 2:
      return ['list', `/api/Shipping/GetShippingDetails?SearchTerm=term-${number}`];
    default:
      return ['lookup', `/api/Shipping/GetShippingSingle?TrackingNumber=TRK-${number}`];
  }
}

/** `complete`, `partial`, the reason why it is not, or the code of the problem. */
function whatIs(completeness: string | undefined, body: string): string {
  if (completeness !== undefined)
    return completeness.replace('unavailable;reason=', '').replace(/^partial.*/, 'partial');
  try {
    const { reason, code } = JSON.parse(body) as { reason?: string; code?: string };
    return reason ?? code ?? 'nothing';
  } catch {
    return 'no problem+json';
  }
}

function answerOf(
  outgoing: ClientRequest,
  isRight: Question['isRight'] = () => true,
): Promise<Pick<Answer, 'status' | 'what'>> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const completeness = incoming.headers['shipping-completeness'] as string | undefined;
        const { statusCode: status = 0 } = incoming;
        resolve({ status, what: status === 200 && !isRight(body) ? 'wrong body' : whatIs(completeness, body) });
      });
    });
    outgoing.end();
  });
}
