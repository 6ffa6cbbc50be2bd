import { eventually } from '../../../testing/upstream/eventually';
import type { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { RunningService, type ServiceOptions } from '../../support/service';
import { useUpstream } from '../../support/started';

type Env = Readonly<Record<string, string>>;

/** Replicas of the service on one external system. */
class Replicas {
  /** Those that run. */
  readonly running: RunningService[] = [];

  constructor(
    private readonly settings: Env,
    private readonly system: () => ScriptedUpstream,
  ) {}

  get upstream(): ScriptedUpstream {
    return this.system();
  }

  /** Starts another one; resolves when it listens, whether or not it has reached Redis. */
  async start(url: string, env?: Env, options?: ServiceOptions): Promise<RunningService> {
    const common = { EXTERNAL_SHIPPING_BASE_URL: this.upstream.url, REDIS_URL: url };
    const service = await RunningService.start({ ...common, ...this.settings, ...env }, options);
    this.running.push(service);
    return service;
  }

  /** Starts another one; resolves when it has reached Redis. */
  async connected(url: string, env?: Env, options?: ServiceOptions): Promise<RunningService> {
    const available = (): number => this.logged('Redis is available').length;
    const before = available();
    const service = await this.start(url, env, options);
    await eventually('a line that Redis is available', () => available() > before);
    return service;
  }

  /** Starts two others; resolves when both have reached Redis. */
  async two(url: string, env?: Env): Promise<[RunningService, RunningService]> {
    return [await this.connected(url, env), await this.connected(url, env)];
  }

  /** Messages of all replicas with this text: in one process, all use the logger of the last. */
  logged(text = 'Redis'): string[] {
    return this.running.flatMap((replica) => replica.messages(text));
  }
}

/** Replicas for the tests of a suite: each is closed after its test. */
export function useReplicas(settings: Env): Replicas {
  const replicas = new Replicas(settings, useUpstream());
  afterEach(() => Promise.all(replicas.running.splice(0).map((replica) => replica.close())));
  return replicas;
}

let fresh = 0;
/** A request that nobody has made yet. */
export const freshRequest = (): string => `GetShippingDetails?Limit=${(fresh += 1) + 1000}`;
