import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A record as the sandbox sends it; faults may give it values of any type. */
export type WireRecord = Record<string, unknown>;

/** What faults read of a page of the sandbox. */
export type WirePage = { readonly Items: WireRecord[] } & Readonly<
  Record<'TotalCount' | 'PageNumber' | 'PageSize' | 'TotalPages', number>
>;

/** A response of the sandbox, before it is sent on: as JSON, a text as it is. */
export interface Reply {
  status: number;
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
}

/** What a system gets wrong. */
export interface Fault {
  readonly request?: (call: Call) => unknown;
  readonly reply?: (reply: Reply, call: Call) => unknown;
}

/** A proxy in front of a sandbox that gets things wrong. */
export class BrokenSystem {
  fault: Fault = {};
  received: IncomingMessage[] = [];
  /** What the sandbox responded with, by URL: its records do not change. */
  private readonly known = new Map<string, Promise<readonly [status: number, text: string]>>();
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void this.respond(request, response);
  });

  private constructor(private readonly sandboxUrl: string) {}

  static async start(sandboxUrl: string): Promise<BrokenSystem> {
    const system = new BrokenSystem(sandboxUrl);
    await once(system.server.listen(0, '127.0.0.1'), 'listening');
    return system;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close().closeAllConnections();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = this.received.push(request);
    const url = new URL(request.url ?? '/', this.sandboxUrl);
    const [, , operation = '', id = ''] = url.pathname.split('/');
    const call = { operation, id: decodeURIComponent(id), query: url.searchParams, number };
    this.fault.request?.(call);
    const reply = await this.ask(url);
    this.fault.reply?.(reply, call);
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(text);
  }

  private async ask({ href }: URL): Promise<Reply> {
    const known = this.known.get(href) ?? fetch(href).then(async (sent) => [sent.status, await sent.text()] as const);
    this.known.set(href, known);
    const [status, text] = await known;
    return { status, body: JSON.parse(text) };
  }
}
