import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from '../../../testing/upstream/eventually';
import { type HttpOptions, type HttpResponse, send } from '../../support/http-client';
import { ROOT } from '../../support/read';

const TYPESCRIPT_HOOK = join(ROOT, 'test/support/register-swc.js');

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  /** Entry below the project's root; by default the sources, so that nothing has to be built. */
  readonly entry?: string;
  /** Scripts that the process requires before anything else. */
  readonly preload?: readonly string[];
}

type Message = Record<string, unknown>;

/** A process that ended in order. */
export const CLEAN_EXIT: Exit = { code: 0, signal: null };
/** Preloaded into a process, it holds its longer waits until {@link ServiceProcess.endsAfter} lets them pass. */
export const HELD_TIMERS = join(__dirname, 'held-timers.js');
/** A start takes seconds of a processor, of which a busy machine gives a process a small part only. */
const PATIENCE_MS = 110_000;

/** The service as a process of its own, as an operator runs it. */
export class ServiceProcess {
  /** Settles when the process has ended and its output is complete. */
  readonly exit: Promise<Exit>;
  /** Settles when the process has ended, also where its output is not read. */
  readonly ended: Promise<Exit>;
  /** What it has sent over the IPC channel. */
  readonly messages: Message[] = [];
  stdout = '';
  stderr = '';
  private exited = false;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (text: Buffer) => (this.stdout += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (this.stderr += text.toString()));
    child.on('message', (message) => this.messages.push(message as Message));
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code, signal });
      });
    });
    this.exit = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.exited = true;
        resolve({ code, signal });
      });
    });
  }

  /** Starts it; does not wait until it listens. */
  static spawn(env: Readonly<Record<string, string>>, options: ProcessOptions = {}): ServiceProcess {
    const { entry = 'src/main.ts', preload = [] } = options;
    const hooks = entry.endsWith('.ts') ? [TYPESCRIPT_HOOK] : [];
    const required = [...hooks, ...preload].flatMap((script) => ['--require', script]);
    // Examples import the package by its name, which leads to the sources by this condition.
    const child = spawn(process.execPath, ['-C', 'own-sources', ...required, join(ROOT, entry)], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    return new ServiceProcess(child);
  }

  /** Starts it and waits until it listens. */
  static async start(env: Readonly<Record<string, string>>, options: ProcessOptions = {}): Promise<ServiceProcess> {
    const service = ServiceProcess.spawn(env, options);
    await service.until(() => service.address !== undefined, 'listening');
    return service;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Where it listens. */
  get url(): string {
    return this.address ?? '';
  }

  request(path: string, options?: HttpOptions): Promise<HttpResponse> {
    return send(this.url, path, options);
  }

  /** Its log lines so far. */
  get log(): readonly Message[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Message);
  }

  /** Leaves its standard output unread, so that its pipe fills. */
  stopReadingOutput(): void {
    this.child.stdout?.pause();
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Sends it a signal, and resolves with how it ended. */
  stop(name: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.signal(name);
    return this.exit;
  }

  /** Sends it a signal, and waits until it drains. */
  async drain(name: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.signal(name);
    await this.until(() => this.stdout.includes('"Draining"'), 'draining');
  }

  /** Lets held waits pass: it still lives a millisecond before this time. Resolves with how it then ended. */
  async endsAfter(elapsedMs: number): Promise<Exit> {
    await this.ask({ elapsedMs: elapsedMs - 1 }, 'elapsed');
    if (this.exited) throw new Error(`The service has ended before ${elapsedMs} ms`);
    this.send({ elapsedMs });
    return this.exit;
  }

  send(message: Message): void {
    this.child.send(message);
  }

  /** Sends a message and resolves with the response that has this field. */
  async ask(message: Message, field: string): Promise<Message> {
    const before = this.messages.length;
    this.send(message);
    const response = (): Message | undefined => this.messages.slice(before).find((each) => field in each);
    await this.until(() => response() !== undefined, field);
    return response() ?? {};
  }

  /** Waits until something holds; rejects when the process ends first or time runs out. */
  async until(holds: () => boolean, what: string): Promise<void> {
    await eventually(what, () => this.exited || holds(), true, PATIENCE_MS).catch(() => undefined);
    if (!holds()) throw new Error(`The service was to be seen ${what}; it said:\n${this.stdout}${this.stderr}`);
  }

  /** Ends it by force where it still runs. */
  async kill(): Promise<void> {
    this.child.stdout?.resume();
    if (!this.exited) this.child.kill('SIGKILL');
    await this.exit;
  }

  private get address(): string | undefined {
    return /"address":"([^"]+)"/.exec(this.stdout)?.[1];
  }
}
