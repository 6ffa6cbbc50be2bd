import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createTestingApp, type TestingAppOptions } from '../../testing/testing-app';
import { eventually } from '../../testing/upstream/eventually';
import { validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { type HttpOptions, type HttpResponse, metricOf, send } from './http-client';
import { lookedUp, useStarted, useUpstream } from './started';

export type { HttpResponse };

/** Settings with deadlines that no test reaches, however slow the machine is. */
export const PATIENT = { EXTERNAL_SHIPPING_TIMEOUT_MS: '50000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50000' };
/** The same, without retries. */
export const ONCE = { ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };

/**
 * The deadline of an attempt with the settings below. No other timer has this length, so that tests can end it: a new
 * connection has four fifths of an attempt, which are 36 s here and 40 s with {@link PATIENT}.
 */
export const ATTEMPT_MS = 45_000;
export const ONE_HELD_ATTEMPT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '50000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS),
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
};

/** What a suite may add to the service, or replace in it. */
export type ServiceOptions = Pick<TestingAppOptions, 'imports' | 'protocol' | 'configure'>;

/** The real application, listening on a free loopback port. */
export class RunningService {
  private readonly parsed: Record<string, unknown>[] = [];

  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    /** All lines that were logged so far, as they were written. */
    readonly log: readonly string[],
  ) {}

  /** Starts the application from environment variables, as the process does. */
  static async start(env: Readonly<Record<string, string>>, options: ServiceOptions = {}): Promise<RunningService> {
    const lines: string[] = [];
    const log = (line: string): unknown => lines.push(line);
    const app = await createTestingApp({ env, ...options, listen: true, sandbox: true, log });
    const url = await app.getUrl();
    return new RunningService(app, url, lines);
  }

  /** All lines that were logged so far, parsed. */
  get logged(): readonly Record<string, unknown>[] {
    for (const line of this.log.slice(this.parsed.length)) {
      this.parsed.push(JSON.parse(line) as Record<string, unknown>);
    }
    return [...this.parsed];
  }

  /** The log lines of requests: one for each response that was sent, and for each client that has disconnected. */
  get requestLog(): readonly Record<string, unknown>[] {
    return this.logged.filter(({ msg }) => msg === 'request');
  }

  /** The messages logged so far that contain this text. */
  messages(text: string): string[] {
    return this.logged.map(({ msg }) => String(msg)).filter((message) => message.includes(text));
  }

  /** Where probes and metrics are, with `MANAGEMENT_PORT`. */
  get managementUrl(): string {
    return String(this.logged.find(({ management }) => management !== undefined)?.management);
  }

  get(path: string, options: HttpOptions = {}): Promise<HttpResponse> {
    return send(this.url, path, options);
  }

  /** Requests one of the operations, by what follows `/api/Shipping/`. */
  request(operation: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
    return this.get(`/api/Shipping/${operation}`, { headers });
  }

  /** Sends a request. Its client disconnects when the returned function is called. */
  leaving(operation: string, headers: Readonly<Record<string, string>> = {}): () => Promise<void> {
    const client = new AbortController();
    const options = { headers, signal: client.signal };
    const left = expect(this.get(`/api/Shipping/${operation}`, options)).rejects.toThrow('aborted');
    return () => {
      client.abort();
      return left;
    };
  }

  /** The value of a metric; `name` includes the labels that it has. */
  metric(name: string): Promise<number> {
    return metricOf(this.url, name);
  }

  /** Resolves when the log has at least so many lines of requests. */
  async untilLogged(count: number): Promise<void> {
    const isWanted = (lines: number): boolean => lines >= count;
    await eventually('lines of requests', () => this.requestLog.length, isWanted);
  }

  /** Resolves when so many requests are in progress, the one for the metrics not counted. */
  async untilActive(count: number): Promise<void> {
    await eventually('active requests', () => this.metric('http_server_active_requests'), count + 1);
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

/** The real application with a scripted upstream as its external system. */
export interface ScriptedService {
  readonly service: RunningService;
  readonly upstream: ScriptedUpstream;
  close(): Promise<void>;
}

/**
 * Starts a service and its upstream.
 *
 * @param env variables that add to those of the service, or replace them
 */
export async function startScriptedService(
  env: Readonly<Record<string, string>> = {},
  options?: ServiceOptions,
): Promise<ScriptedService> {
  const upstream = await ScriptedUpstream.start();
  const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: upstream.url, ...env }, options);
  const close = async (): Promise<void> => {
    await service.close();
    await upstream.close();
  };
  return { service, upstream, close };
}

/** Closes what single tests open, after each of them, the last one first. Returns a function that takes each of it. */
export function useClosing(): <T extends { close(): unknown }>(opened: T) => T {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  return (opened) => {
    open.push(opened);
    return opened;
  };
}

/**
 * Starts services with an upstream for single tests, after each of which they are closed. The upstream gives valid
 * responses to every operation. Documents take a third of a start, so that they are off unless `DOCS` is given.
 *
 * @param common variables of all of them
 */
export function useStart(common: Readonly<Record<string, string>> = {}): typeof startScriptedService {
  const closedLater = useClosing();
  return async (env, options) => {
    const scripted = closedLater(await startScriptedService({ DOCS: 'off', ...common, ...env }, options));
    scripted.upstream.respondWith(validResponse);
    return scripted;
  };
}

/** Starts applications that do not listen for single tests, after each of which they are closed. */
export function useApps(): (
  options?: TestingAppOptions,
  beforeInit?: (app: NestFastifyApplication) => unknown,
) => Promise<NestFastifyApplication> {
  const closedLater = useClosing();
  return async (options, beforeInit) => {
    const app = closedLater(await createTestingApp(options));
    await beforeInit?.(app);
    return app.init();
  };
}

/**
 * The real application with a scripted upstream, for all tests of a suite: started before the first test and closed
 * after the last. Before each test, the upstream is reset and gives valid responses to every operation.
 *
 * @param env variables that add to those of the service, or replace them
 */
export function useScriptedService(
  env: Readonly<Record<string, string>> = {},
  options?: ServiceOptions,
): Pick<ScriptedService, 'service' | 'upstream'> {
  const upstream = useUpstream();
  const start = (): Promise<RunningService> =>
    RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: upstream().url, ...env }, options);
  const service = useStarted(start);
  return lookedUp<Pick<ScriptedService, 'service' | 'upstream'>>({ service, upstream });
}
