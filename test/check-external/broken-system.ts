import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A record as the sandbox sends it; faults may give it values of any type. */
export type WireRecord = Record<string, unknown>;

/** A page as the sandbox sends it; faults may give it values of any type. */
export interface WirePage {
  Items: WireRecord[];
  TotalCount: number;
  PageNumber: number;
  PageSize: number;
  TotalPages: number;
  HasPreviousPage: boolean;
  HasNextPage: boolean;
}

/** A response of the sandbox, before it is sent on. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Sent as JSON; texts are sent as they are, `undefined` as an empty body. */
  body: unknown;
}

/** A request on its way to the sandbox. */
export interface Call {
  /** `paged`, `details`, `single` or `by-id`. */
  readonly operation: string;
  /** Its last path segment, decoded. */
  readonly id: string;
  /** Changes of them reach the sandbox. */
  readonly query: URLSearchParams;
  /** How many calls the system has received, this one included. */
  readonly number: number;
  /** The sandbox's page for other parameters. */
  readonly sandbox: (query: Readonly<Record<string, string>>) => Promise<WirePage>;
}

/** What a system gets wrong. */
export interface Fault {
  readonly request?: (call: Call) => void;
  readonly reply?: (reply: Reply, call: Call) => void | Promise<void>;
}

/** A proxy in front of the sandbox that gets things wrong. */
export class BrokenSystem {
  /** Methods and headers of all requests. */
  readonly received: IncomingMessage[] = [];
  fault: Fault = {};
  /** What the sandbox responded with, by URL: its records do not change. */
  private readonly known = new Map<string, Promise<{ status: number; text: string }>>();

  private constructor(
    private readonly server: Server,
    private readonly sandboxUrl: string,
  ) {
    server.on('request', (request, response) => {
      this.handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(sandboxUrl: string): Promise<BrokenSystem> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const system = new BrokenSystem(server, sandboxUrl);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return system;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Gets other things wrong from now on. */
  break(fault: Fault): void {
    this.fault = fault;
    this.received.length = 0;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.received.push(request);
    const url = new URL(request.url ?? '/', this.sandboxUrl);
    const [, , operation = '', id = ''] = url.pathname.split('/');
    const call: Call = {
      operation,
      id: decodeURIComponent(id),
      query: url.searchParams,
      number: this.received.length,
      sandbox: async (query) => {
        const { text } = await this.ask(new URL(`${url.pathname}?${new URLSearchParams(query).toString()}`, url));
        return JSON.parse(text) as WirePage;
      },
    };
    this.fault.request?.(call);
    const answered = await this.ask(url);
    const headers = { 'content-type': 'application/json' };
    const reply: Reply = { status: answered.status, headers, body: JSON.parse(answered.text) };
    await this.fault.reply?.(reply, call);
    const { body } = reply;
    response.writeHead(reply.status, reply.headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  private ask({ href }: URL): Promise<{ status: number; text: string }> {
    const known = this.known.get(href) ?? fetch(href).then(async (answered) => ({ status: answered.status, text: await answered.text() })); // prettier-ignore
    this.known.set(href, known);
    return known;
  }
}
