import { ServerProcess, type Launch } from '../server-process';

/** A process of the cluster, which can go and come back where it was. */
export class ClusterMember {
  private constructor(
    private readonly launch: Launch,
    private child: ServerProcess,
  ) {}

  /** Starts it and waits until it is ready. */
  static async start(launch: Launch & { readonly port: number }): Promise<ClusterMember> {
    return new ClusterMember(launch, await ServerProcess.start(launch));
  }

  get name(): string {
    return this.launch.name;
  }

  get url(): string {
    return this.child.url;
  }

  get pid(): number {
    return this.child.pid;
  }

  get log(): string {
    return this.child.log;
  }

  /** What it has written since it was last started, and before that where the file is the same. */
  get output(): string {
    return this.child.output;
  }

  /** As {@link ServerProcess}, for the load helpers. */
  get process(): ServerProcess {
    return this.child;
  }

  signal(name: NodeJS.Signals): void {
    this.child.signal(name);
  }

  /** Ends it as an orchestrator does; resolves with its exit code, `null` where a signal ended it. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    return this.child.stop(signal);
  }

  /** Ends it as a lost machine does. */
  async kill(): Promise<void> {
    await this.child.stop('SIGKILL');
  }

  /** Brings it back, on the same port, and waits until it is ready. */
  async startAgain(): Promise<void> {
    this.child = await ServerProcess.start(this.launch);
  }
}
