import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { send } from '../../test/support/http-client';

const LIST = '/api/Shipping/GetShippingDetails';
const FLOOD_PATH = `${LIST}?Limit=7`;
const FLOOD_CONNECTIONS = 4;
const FLOOD_REQUESTS = 32;
/** Close to the 16 KiB that a request line may have. */
const HOSTILE_QUERY = '%&'.repeat(7_500);
const UNREAD_CONNECTIONS = 30;
const UNREAD_REQUESTS = 8;
const FOLDER = '/docs/';
const FILE = 'swagger-ui-bundle.js';
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_LENGTH = 13;

/** What a client sends again and again, each time when all responses have arrived. */
interface Attack {
  readonly path: string | (() => string);
  readonly connections: number;
  /** Requests at once on each connection. */
  readonly pipelined: number;
}

/** Clients that try to hold up everybody else. */
export class HostileClients {
  /** How many responses to repeated requests had each status. */
  readonly statuses = new Map<number, number>();
  private readonly sockets = new Set<Socket>();

  constructor(private readonly url: string) {}

  /** A query string of thousands of invalid escapes. @returns the status of the response */
  async sendHostileQuery(): Promise<number> {
    return (await send(this.url, `${LIST}?${HOSTILE_QUERY}`)).status;
  }

  /** Pipelines identical requests on a few connections, and disconnects without reading all responses. */
  async flood(): Promise<void> {
    const requests = requestsFor(FLOOD_PATH, FLOOD_REQUESTS);
    await Promise.all(
      Array.from({ length: FLOOD_CONNECTIONS }, async () => {
        const socket = this.connect();
        socket.write(requests);
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.destroy();
      }),
    );
  }

  /** Sends such query strings on 16 connections until {@link stop}. */
  repeatHostileQueries(): void {
    this.repeat({ path: `${LIST}?${HOSTILE_QUERY}`, connections: 16, pipelined: 1 });
  }

  /** Pipelines identical requests on 8 connections until {@link stop}: more than are in progress at once. */
  repeatFlood(): void {
    this.repeat({ path: FLOOD_PATH, connections: 8, pipelined: 32 });
  }

  /** Sends requests that do nothing but write a log line until {@link stop}. */
  repeatUnknownPaths(): void {
    this.repeat({ path: '/unknown', connections: 4, pipelined: 32 });
  }

  /** Requests the Swagger page, its largest file and the document, which the service then keeps. */
  async loadPage(): Promise<void> {
    const headers = { 'Accept-Encoding': 'br' };
    for (const path of ['/docs', `${FOLDER}${FILE}`, '/openapi.yaml']) await send(this.url, path, { headers });
  }

  /** Requests that file on 8 connections, spelled differently each time, until {@link stop}. */
  repeatSpellings(): void {
    let count = 0;
    const path = (): string => {
      count += 1;
      // Each bit decides whether a character is encoded.
      return FOLDER + [...FILE].map((char, bit) => ((count >> bit) % 2 === 1 ? encoded(char) : char)).join('');
    };
    this.repeat({ path, connections: 8, pipelined: 1 });
  }

  /** Requests the OpenAPI document on 40 connections until {@link stop}. */
  repeatDocuments(): void {
    this.repeat({ path: '/openapi.yaml', connections: 40, pipelined: 1 });
  }

  /** Pipelines requests for a list on 30 connections, and reads no response until {@link stop}. */
  leaveUnread(path: string): void {
    for (let count = 0; count < UNREAD_CONNECTIONS; count += 1) {
      const socket = this.connect().pause();
      this.sockets.add(socket);
      socket.write(requestsFor(path, UNREAD_REQUESTS));
    }
  }

  /** Closes the connections of all repeated requests. */
  stop(): void {
    const sockets = [...this.sockets];
    this.sockets.clear();
    for (const socket of sockets) socket.destroy();
  }

  private repeat(attack: Attack): void {
    for (let count = 0; count < attack.connections; count += 1) this.repeatOnOne(attack);
  }

  private repeatOnOne(attack: Attack): void {
    const socket = this.connect();
    this.sockets.add(socket);
    const requests = (): string => {
      const path = typeof attack.path === 'string' ? attack.path : attack.path();
      return requestsFor(path, attack.pipelined);
    };
    let missing = attack.pipelined;
    let rest = '';
    socket.setEncoding('latin1').on('data', (text) => {
      rest += String(text);
      let end = 0;
      for (const { 1: status, index } of rest.matchAll(STATUS_LINE)) {
        this.count(Number(status));
        missing -= 1;
        end = index + STATUS_LINE_LENGTH;
      }
      // The next status line may have begun.
      rest = rest.slice(Math.max(end, rest.length - STATUS_LINE_LENGTH + 1));
      if (missing > 0) return;
      missing = attack.pipelined;
      socket.write(requests());
    });
    // The service closes connections after some requests.
    socket.once('close', () => {
      if (this.sockets.delete(socket)) this.repeatOnOne(attack);
    });
    socket.write(requests());
  }

  private count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private connect(): Socket {
    const { hostname, port } = new URL(this.url);
    const socket = connect(Number(port), hostname);
    // The service may close the connection.
    socket.on('error', () => undefined);
    return socket;
  }
}

function requestsFor(path: string, times: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: hostile\r\nAccept-Encoding: br\r\n\r\n`.repeat(times);
}

function encoded(char: string): string {
  return `%${char.charCodeAt(0).toString(16)}`;
}
