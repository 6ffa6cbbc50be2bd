import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';

/** Which cores work for what, as lists that `taskset` understands. */
export interface Cores {
  /** The server that is measured. */
  readonly server: string;
  /** The load generator and the external system. */
  readonly others: string;
}

/** /proc counts in these; the value is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** What the benchmark runs on, as a sentence. */
export function describeMachine(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${memory} GiB, ${type()} ${release()}, Node ${process.version}`;
}

/** @throws Error where this process may use fewer than two cores */
export function shareCores(): Cores {
  const allowed = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const cores = allowed.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
  });
  const [server, ...others] = cores;
  if (server === undefined || others.length === 0) throw new Error('The benchmark needs two cores');
  return { server, others: others.join(',') };
}

/** Binds a process with all its threads to cores. */
export function pin(pid: number, cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(pid)], { stdio: 'ignore' });
}

/** Processor time that a process has used. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process may hold spaces; what follows it does not. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMiB(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
