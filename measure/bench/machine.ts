import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** What the figures were measured on. */
export interface Machine {
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  /** `null` where nothing is pinned: there is no `taskset`, or only one core. */
  readonly pinning: Pinning | null;
}

/** Which cores work for what, as lists that `taskset` understands. */
export interface Pinning {
  /** The server that is measured. */
  readonly server: string;
  /** The load generator and the external system. */
  readonly others: string;
  readonly all: string;
}

export interface Memory {
  readonly residentMiB: number;
  /** The most since its start. */
  readonly peakMiB: number;
}

/** /proc counts in these; the value is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export function describeMachine(): Machine {
  return {
    node: process.version,
    processor: cpus()[0]?.model.trim() ?? 'unknown processor',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    pinning: findPinning(),
  };
}

/** Binds a process with all its threads to cores. */
export function pin(pid: number, cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(pid)], { stdio: 'ignore' });
}

/** Processor time that a process has used, `null` where nobody tells. */
export function cpuSeconds(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return null;
  // The name of the process may hold spaces; what follows it does not. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** A process and those that it has started, as nginx and its workers; itself alone where nobody tells. */
export function familyOf(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? '';
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}

export function memoryOf(pid: number): Memory | null {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return null;
  const mebibytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { residentMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') };
}

let found: Pinning | null | undefined;

/** `null` where there is nothing to pin with, or only one core. */
export function findPinning(): Pinning | null {
  // Once only: later this process itself may be pinned.
  return (found ??= lookForPinning());
}

function lookForPinning(): Pinning | null {
  const all = /^Cpus_allowed_list:\s+(\S+)/m.exec(read('/proc/self/status') ?? '')?.[1];
  const [server, ...others] = all === undefined ? [] : coresOf(all);
  if (all === undefined || server === undefined || others.length === 0) return null;
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return { server: String(server), others: others.join(','), all };
}

/** The cores of a list such as `0-3,8`. */
function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
