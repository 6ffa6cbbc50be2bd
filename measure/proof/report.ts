import { cpus } from 'node:os';
import { join } from 'node:path';
import { tableOf, putBetween } from '../markdown';
import type { Outcome } from './load';
import { FAULT_MS, RATE, SETTINGS, type Observation } from './trial';

const DOCUMENT = join(__dirname, '../../docs/resilience.md');

/** One line for the terminal, and one for each broken promise. */
export function line(observation: Observation, broken: readonly string[]): string {
  const [, ...cells] = cellsOf(observation);
  const { longestMs, totalMs } = observation.lag;
  const verdict = broken.length === 0 ? 'ok    ' : 'BROKEN';
  return [
    `${verdict} ${observation.scenario.name}: ${cells.join(' | ')} | lag ${Math.round(longestMs)}, in all ${Math.round(totalMs)} ms`,
    ...broken.map((each) => `       - ${each}`),
  ].join('\n');
}

/** The table, with what it was measured on. */
export function table(observations: readonly Observation[], command: string): string {
  const head = ['Fault', 'Lists', 'Lookups', 'Strict clients', 'Slowest response', 'External calls per request', 'Growth', 'Recovery']; // prettier-ignore
  return [conditions(command), '', ...tableOf(head, observations.map(cellsOf))].join('\n');
}

/** Puts the table into docs/resilience.md. */
export function publish(text: string): void {
  putBetween(DOCUMENT, 'proof', text);
}

function conditions(command: string): string {
  const processors = cpus();
  const settings = Object.entries(SETTINGS).map(([name, value]) => `\`${name}=${value}\``);
  return [
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${processors[0]?.model ?? 'unknown processor'}, ${processors.length} cores, Node ${process.version}.`,
    `${RATE} requests a second before, during and after each fault, which lasts ${FAULT_MS / 1_000} s (408: 12 s), with`,
    `${settings.join(', ')} and defaults otherwise.`,
    'Retries may use what the traffic of the last ten seconds has earned, so that a short fault can see more than 1.2 external',
    'calls per request; over any ten seconds there are no more.',
    'Growth is heap and external memory after collection, after the recovery against before the fault. Recovery is the time',
    'from the end of the fault to the first request from which on all responses were complete. Lists and lookups are those of',
    'clients without a preference; "empty" is the specified empty list with status 200.',
  ].join('\n');
}

function cellsOf({ scenario, outcomes, slowestMs, callsPerRequest, growthBytes, recoveryMs }: Observation): string[] {
  const lists = outcomes.filter(({ kind, strict }) => kind === 'list' && !strict);
  const lookups = outcomes.filter(({ kind, strict }) => kind === 'lookup' && !strict);
  const growth = growthBytes / 1024 / 1024;
  return [
    scenario.name,
    counts(lists, nameOfList),
    counts(lookups, ({ status }) => String(status)),
    counts(outcomes.filter(({ strict }) => strict), ({ status }) => String(status)),
    `${Math.round(slowestMs)} ms`,
    callsPerRequest.toFixed(2),
    `${growth < 0 ? '−' : '+'}${Math.abs(growth).toFixed(1)} MiB`,
    recoveryMs === undefined ? '–' : `${Math.round(recoveryMs)} ms`,
  ]; // prettier-ignore
}

function nameOfList({ status, what }: Outcome): string {
  if (status !== 200) return `${status} ${what}`;
  return what === 'complete' || what === 'partial' ? what : `empty, ${what}`;
}

function counts(outcomes: readonly Outcome[], nameOf: (outcome: Outcome) => string): string {
  const numbers = new Map<string, number>();
  for (const outcome of outcomes) numbers.set(nameOf(outcome), (numbers.get(nameOf(outcome)) ?? 0) + 1);
  return [...numbers].map(([name, number]) => `${name}: ${number}`).join('; ');
}
