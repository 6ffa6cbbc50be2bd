import type { CheckedSystem } from './checked-system';
import type { Samples } from './samples';

/** What a check of one rule found. No text holds a value of a record. */
export type Finding =
  | { readonly result: 'pass'; readonly detail?: string }
  | { readonly result: 'fail'; readonly detail: string }
  | { readonly result: 'cannot tell'; readonly advice: string; readonly detail?: string };

/** One rule of the specification. */
export interface Rule {
  /** Stable, kebab-case. */
  readonly id: string;
  /** The rule as a sentence. */
  readonly title: string;
  /** What to do where it is broken. */
  readonly advice: string;
  /** Rules that must pass before this one can be decided. */
  readonly needs?: readonly string[];
  /** Rules that must not be broken: they may be undecided. */
  readonly unless?: readonly string[];
  /** Never fails: what it finds is allowed, but worth knowing. */
  readonly isHint?: true;
  /** A rejection with an `UpstreamFailure` breaks the rule. */
  check(system: CheckedSystem): Promise<Finding>;
}

export function pass(detail?: string): Finding {
  return { result: 'pass', detail };
}

export function fail(detail: string): Finding {
  return { result: 'fail', detail };
}

/** @param advice what would be needed, or what to do */
export function cannotTell(advice: string, detail?: string): Finding {
  return { result: 'cannot tell', advice, detail };
}

/**
 * Cannot tell without a listed record.
 *
 * @param advice what would be needed, where the lists are empty
 * @param alternative where a list failed: what else would help, such as `, or name one with --id`
 */
export function needsRecord({ failedList }: Samples, advice: string, alternative = ''): Finding {
  if (failedList === undefined) return cannotTell(advice);
  const list = { paged: 'paged', details: 'unpaged' }[failedList];
  return cannotTell(`The ${list} list failed: see the rule ${failedList}-body first${alternative}.`);
}

/** Fails with the first text; passes where there is none. */
export function failOnFirst(faults: readonly (string | false | undefined)[]): Finding {
  const fault = faults.find((candidate) => typeof candidate === 'string');
  return typeof fault === 'string' ? fail(fault) : pass();
}

/** Reports how many values do not satisfy a condition; `undefined` where all do. */
export function violations<T>(
  values: readonly T[],
  holds: (value: T) => boolean,
  complaint: string,
): string | undefined {
  const count = values.filter((value) => !holds(value)).length;
  return count === 0 ? undefined : `${count} of ${values.length} records ${complaint}`;
}
