import { type Checks, until } from '../checks';
import type { Scenario } from '../scenario';
import type { Engine } from './engine';
import { imageOf, REPLICAS, type Stack, VERSION } from './stack';

const RESTART_MS = 90_000;
const [FIRST, , LAST] = REPLICAS;

/** What happens to the started compose file under load. */
export class Scenarios {
  constructor(
    private readonly engine: Engine,
    private readonly stack: Stack,
    private readonly checks: Checks,
  ) {}

  readonly all: readonly Scenario[] = [
    {
      done: 'a replica that was missing at the start of the balancer is started',
      holds: 'no failed response, and it takes part',
      play: () => this.appear(),
    },
    {
      done: 'all replicas get other addresses, one after the other',
      holds: 'no failed response',
      play: () => this.moveAll(),
    },
    {
      done: 'a replica hangs (SIGSTOP)',
      holds: 'no failed response, and its health check restarts it',
      mayBeLate: true,
      play: () => this.hang(),
    },
    {
      done: 'deploy/upgrade.sh brings a version that does not start, goes back, and brings another one',
      holds: 'no failed response',
      play: () => this.upgrade(),
    },
    {
      done: 'the balancer reloads its configuration',
      holds: 'no failed response',
      play: () => this.reload(),
    },
  ];

  private async appear(): Promise<void> {
    await this.stack.docker('start', LAST);
    await this.expectPart(LAST);
  }

  private async moveAll(): Promise<void> {
    for (const replica of REPLICAS) await this.move(replica);
  }

  /** Stops a replica, and starts it when another container has its address. */
  private async move(replica: string): Promise<void> {
    const { engine, stack } = this;
    const [before, network] = [await stack.address(replica), await stack.network()];
    await stack.docker('stop', replica);
    const code = await stack.inspect(replica, '.State.ExitCode');
    const others: string[] = [];
    const isTaken = async (): Promise<boolean> => {
      const other = await engine.docker('run', '--detach', '--network', network, 'stand-in', 'sleep', '600');
      others.push(other);
      return (await engine.address(other)) === before;
    };
    await until(isTaken, RESTART_MS, 0);
    await stack.docker('start', replica);
    await engine.docker('rm', '--force', ...others);
    const after = await stack.address(replica);
    const found = `${code}, ${before} and ${after}`;
    this.checks.expect(`${replica} ends with 0 and gets another address`, code === '0' && after !== before, found);
    await this.expectPart(replica);
  }

  private async hang(): Promise<void> {
    const before = await this.stack.restarts(FIRST);
    // Process 1 is the init of Docker, and the service is its child.
    await this.stack.exec(FIRST, 'sh', '-c', 'kill -STOP $(cat /proc/1/task/1/children)');
    const isRestarted = await until(async () => (await this.stack.restarts(FIRST)) > before, RESTART_MS, 500);
    this.checks.expect('it is restarted', isRestarted, 'it is not');
    await this.expectPart(FIRST);
  }

  private async upgrade(): Promise<void> {
    await this.tag('broken', 'ENV PORT=none');
    await this.tag('next', 'LABEL version=next');
    const outcome = await this.stack.upgrade('broken', '12');
    await this.expectVersions(['broken', VERSION, VERSION]);
    this.checks.expect('a version that does not start is named', outcome.includes('service-1 is not healthy'), outcome);
    for (const version of [VERSION, 'next']) {
      await this.stack.upgrade(version);
      await this.expectVersions(REPLICAS.map(() => version));
    }
  }

  private async reload(): Promise<void> {
    const ended = async (): Promise<number> => (await this.stack.log()).split('exited with code 0').length;
    const before = await ended();
    await this.stack.docker('kill', 'balancer', '--signal', 'USR2');
    const hasReloaded = await until(async () => (await ended()) > before, RESTART_MS, 250);
    this.checks.expect('the former worker ends with 0', hasReloaded, 'it does not');
  }

  private async expectPart(replica: string): Promise<void> {
    await this.stack.untilHealthy(replica);
    this.checks.expect(`${replica} takes part`, await this.stack.takesPart(replica), 'it does not');
  }

  private async expectVersions(expected: readonly string[]): Promise<void> {
    const images = await Promise.all(REPLICAS.map((replica) => this.stack.inspect(replica, '.Config.Image')));
    const found = images.join();
    this.checks.expect(`the replicas have ${expected.join()}`, found === expected.map(imageOf).join(), found);
  }

  /** Makes another version of the shipped image. */
  private async tag(version: string, line: string): Promise<void> {
    const build = `printf 'FROM ${imageOf(VERSION)}\n${line}\n' | docker build --quiet --tag ${imageOf(version)} -`;
    await this.engine.run('sh', ['-c', build]);
  }
}
