import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { printCauses } from '../../src/common/errors';
import { causesOf } from '../../src/resilience/upstream-failure';
import type { QueryResult } from '../../src/shipping/model/query-result';
import { ROOT } from './read';

/**
 * Calls an exported function in a process with another time zone, once for each list of arguments, and returns the
 * results. Arguments and results pass as JSON; `undefined` becomes `null`.
 */
export function callInZone(zone: string, module: string, name: string, calls: readonly unknown[][]): unknown {
  const path = JSON.stringify(resolve(ROOT, module));
  const values = `${JSON.stringify(calls)}.map((each) => require(${path}).${name}(...each) ?? null)`;
  const program = ['-r', './test/support/register-swc.js', '-p', `JSON.stringify(${values})`];
  const env = { ...process.env, TZ: zone };
  return JSON.parse(execFileSync(process.execPath, program, { cwd: ROOT, env, encoding: 'utf8' })) as unknown;
}

/** A result with the causes of its completeness as log lines print them. */
export function inWords({ body, completeness }: QueryResult<unknown>): { body: unknown; completeness: object } {
  const { causes, ...others } = completeness;
  return { body, completeness: causes === undefined ? completeness : { ...others, cause: printCauses(causes) } };
}

/** What a log line says of an error (D81). */
export function causeOf(error: unknown): string | undefined {
  const causes = causesOf(error);
  return causes && printCauses(causes);
}

/** What a function throws; fails where it throws nothing. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}
