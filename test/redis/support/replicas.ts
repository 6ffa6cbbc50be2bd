import { eventually } from '../../../testing/upstream/eventually';
import type { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { type HttpResponse, RunningService, type ServiceOptions } from '../../support/service';
import { useUpstream } from '../../support/started';

type Env = Readonly<Record<string, string>>;

export interface Replicas {
  readonly upstream: ScriptedUpstream;
  /** Those that run. */
  readonly running: readonly RunningService[];
  /** Starts another one; resolves when it listens, whether or not it has reached Redis. */
  start(url: string, env?: Env, options?: ServiceOptions): Promise<RunningService>;
  /** Starts another one; resolves when it has reached Redis. */
  connected(url: string, env?: Env, options?: ServiceOptions): Promise<RunningService>;
  /** Starts two others; resolves when both have reached Redis. */
  two(url: string, env?: Env): Promise<[RunningService, RunningService]>;
  /** Messages of all replicas with this text: in one process, all use the logger of the last. */
  logged(text?: string): string[];
}

/** Replicas of the service on one external system, for the tests of a suite: each is closed after its test. */
export function useReplicas(settings: Env): Replicas {
  const running: RunningService[] = [];
  const upstream = useUpstream();
  afterEach(() => Promise.all(running.splice(0).map((replica) => replica.close())));
  return {
    get upstream() {
      return upstream();
    },
    running,
    async start(url, env, options) {
      const common = { EXTERNAL_SHIPPING_BASE_URL: upstream().url, REDIS_URL: url };
      const service = await RunningService.start({ ...common, ...settings, ...env }, options);
      running.push(service);
      return service;
    },
    async connected(url, env, options) {
      const available = (): number => this.logged('Redis is available').length;
      const before = available();
      const service = await this.start(url, env, options);
      await eventually('a line that Redis is available', () => available() > before);
      return service;
    },
    async two(url, env) {
      return [await this.connected(url, env), await this.connected(url, env)];
    },
    logged: (text = 'Redis') => running.flatMap((replica) => replica.messages(text)),
  };
}

let fresh = 0;
/** A request that nobody has made yet. */
export const freshRequest = (): string => `GetShippingDetails?Limit=${(fresh += 1) + 1000}`;

/** How many requests the client has left. */
export const remaining = ({ headers }: HttpResponse): number =>
  Number(/^"default";r=(\d+);t=[1-9]\d*$/.exec(String(headers.ratelimit))?.[1]);
