import { spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, STATE_MS, temporaryFolder, until } from '../checks';

/** That of Debian: another client in the PATH may lack BuildKit or be of another age than the daemon. */
const DOCKER = '/usr/bin/docker';
const DAEMON = '/usr/sbin/dockerd';
/** What the suite starts. */
const PROGRAMS = [DAEMON, '/usr/bin/docker-compose', '/usr/bin/mmdebstrap', '/usr/sbin/iptables'];

/**
 * A container engine of Debian with a data folder of its own. It makes no rule of the firewall and no default network,
 * so that nothing of it is left when its containers, networks, mounts and files are removed, at the end of this process.
 */
export class Engine {
  private constructor(
    readonly folder: string,
    private readonly host: string,
  ) {}

  /** @throws where this machine lacks the right or the programs to run containers, with the reason */
  static async start(): Promise<Engine> {
    if (process.getuid?.() !== 0) throw new Error('only root may run containers here: start the suite as root');
    if (!PROGRAMS.every((path) => existsSync(path)))
      throw new Error('apt-get install docker.io docker-compose mmdebstrap iptables');
    const folder = temporaryFolder('shipping-deploy');
    const log = join(folder, 'dockerd.log');
    const host = `unix://${folder}/docker.sock`;
    const places = ['--data-root', `${folder}/data`, '--exec-root', `${folder}/run`, '--pidfile', `${folder}/pid`];
    // Where another engine drops what its own rules do not let through, this one needs rules, which end with its networks.
    const rules = spawnSync('iptables', ['-S', 'FORWARD'], { encoding: 'utf8' }).stdout.includes('-P FORWARD DROP');
    const networks = [`--iptables=${rules}`, '--ip-forward=false', '--bridge=none'];
    const output = openSync(log, 'a');
    const outputs: SpawnOptions = { stdio: ['ignore', output, output], detached: true };
    const daemon = spawn(DAEMON, [...places, ...networks, '-H', host], outputs);
    // Before the handler that removes the folder.
    process.prependOnceListener('exit', () => { remove(folder, host); }); // prettier-ignore
    const engine = new Engine(folder, host);
    const isOver = async (): Promise<boolean> => daemon.exitCode !== null || (await engine.docker('info')) !== '';
    if (!(await until(isOver, STATE_MS, 200)) || daemon.exitCode !== null) {
      throw new Error(`no container engine runs on this machine:\n${readFileSync(log, 'utf8').slice(-2048)}`);
    }
    return engine;
  }

  /** Runs a command of Docker. Resolves with its output. */
  docker(...rest: string[]): Promise<string> {
    return this.run(DOCKER, rest);
  }

  /** Runs a command of the shell in a container. */
  shell(container: string, command: string): Promise<string> {
    return this.docker('exec', container, 'sh', '-c', command);
  }

  /** Runs a program that reaches the engine, also by scripts that call `docker`. */
  async run(program: string, rest: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const own = { PATH: '/usr/bin:/usr/sbin:/bin:/sbin', DOCKER_HOST: this.host, DOCKER_BUILDKIT: '1' };
    return (await execute(program, rest, { env: { ...own, ...env } })).trim();
  }

  address(container: string): Promise<string> {
    return this.inspect(container, 'range .NetworkSettings.Networks}}{{.IPAddress}}{{end');
  }

  /** Appends a rule to the firewall of a container for what it sends, or lists all (`-nvxL`). */
  async firewall(container: string, command: '-A' | '-nvxL', ...rule: string[]): Promise<string> {
    const net = ['--net', '--target', await this.inspect(container, '.State.Pid')];
    return this.run('nsenter', [...net, 'iptables', command, 'OUTPUT', ...rule]);
  }

  /** Both outputs of a container; long ones are not read again and again, but since a moment. */
  logs(container: string, since = new Date(0)): Promise<string> {
    return this.run('sh', ['-c', `docker logs --since ${since.toISOString()} ${container} 2>&1`]);
  }

  /** A field of a container, as the template of `docker inspect`. */
  inspect(container: string, field: string): Promise<string> {
    return this.docker('inspect', '--format', `{{${field}}}`, container);
  }
}

/** Removes all that the engine has made, and ends it. */
function remove(folder: string, host: string): void {
  const script = `
    docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes
    docker network prune --force
    kill "$(cat ${folder}/pid)"
    for _ in $(seq 150); do [ -e ${folder}/pid ] || break; sleep 0.1; done
    grep -o "${folder}[^ ]*" /proc/mounts | sort --reverse | xargs --no-run-if-empty umount --lazy
    find /sys/fs/cgroup -depth -path '*/docker*' -type d -exec rmdir {} + 2> /dev/null`;
  spawnSync('sh', ['-c', script], { env: { PATH: process.env.PATH, DOCKER_HOST: host }, timeout: 60_000 });
}
