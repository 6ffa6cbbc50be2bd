import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { generateRecords } from '../../src/sandbox/records';
import { startSandbox } from '../../src/sandbox/start-sandbox';
import type { Behaviour } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { bytes, JSON_TYPE } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { useStarted } from '../support/started';

/** A record as the sandbox sends it; faults may give it values of any type. */
export type WireRecord = Record<string, unknown>;

/** What faults read of a page of the sandbox. */
export type WirePage = { readonly Items: WireRecord[] } & Readonly<
  Record<'TotalCount' | 'PageNumber' | 'PageSize' | 'TotalPages', number>
>;

/** A response of the sandbox, before it is sent on: as JSON, a text or bytes as they are. */
export interface UpstreamResponse {
  status: number;
  body: unknown;
  contentType?: string;
  headers?: Record<string, string>;
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
  readonly response?: (response: UpstreamResponse, call: Call) => unknown;
}

export const RECORDS = generateRecords(300);

/** A proxy in front of a sandbox of 300 records that gets things wrong. */
export class BrokenSystem {
  fault: Fault = {};
  /** What the sandbox responded with, by URL: its records do not change. */
  private readonly known = new Map<string, Promise<readonly [status: number, text: string]>>();

  private constructor(
    readonly upstream: ScriptedUpstream,
    private readonly sandbox: NestFastifyApplication,
    readonly sandboxUrl: string,
  ) {
    upstream.respondWith((call) => this.respond(call));
  }

  static async start(): Promise<BrokenSystem> {
    const sandbox = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
    return new BrokenSystem(await ScriptedUpstream.start(), sandbox, await sandbox.getUrl());
  }

  async close(): Promise<void> {
    await this.upstream.close();
    await this.sandbox.close();
  }

  private async respond({ target }: ReceivedCall): Promise<Behaviour> {
    const number = this.upstream.calls.length;
    const url = new URL(target, this.sandboxUrl);
    const [, , operation = '', id = ''] = url.pathname.split('/');
    const call = { operation, id: decodeURIComponent(id), query: url.searchParams, number };
    this.fault.request?.(call);
    const response = await this.ask(url);
    this.fault.response?.(response, call);
    const { body, headers, contentType = JSON_TYPE['Content-Type'] } = response;
    const isReady = typeof body === 'string' || Buffer.isBuffer(body);
    const sent = Buffer.from(isReady ? body : JSON.stringify(body));
    return bytes(sent, { 'Content-Type': contentType, ...headers }, response.status);
  }

  private async ask({ href }: URL): Promise<UpstreamResponse> {
    const known = this.known.get(href) ?? fetch(href).then(async (sent) => [sent.status, await sent.text()] as const);
    this.known.set(href, known);
    const [status, text] = await known;
    return { status, body: JSON.parse(text) };
  }
}

/** A broken system for all tests of a suite; nothing is wrong before each. */
export function useBrokenSystem(): () => BrokenSystem {
  const broken = useStarted(() => BrokenSystem.start());
  beforeEach(() => {
    broken().fault = {};
    broken().upstream.calls = [];
  });
  return broken;
}
