import { printCauses } from '../../src/common/errors';
import { causesOf } from '../../src/resilience/upstream-failure';
import type { QueryResult } from '../../src/shipping/model/query-result';

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
