import type { FailureReason } from '../../resilience/upstream-failure';
import type { ProblemDefinition } from './problem-definitions';
import texts from './problem-texts.json';

/** What people should know of a reason of a failure. */
export interface ReasonHelp {
  /** What happened, as the second half of a sentence. */
  readonly cause: string;
  /** What a program should tell the people who use it. */
  readonly tell: string;
  readonly retry: string;
}

export const FAILURE_REASON_HELP: Readonly<Record<FailureReason, ReasonHelp>> = texts.reasons;

const REMEDIES: Readonly<Record<string, string>> = texts.remedies;

/** What to do about the problems of one code. */
export function remedyOf([problem]: readonly ProblemDefinition[]): string {
  const { code = '', status = 500, remedy } = problem ?? {};
  return remedy ?? REMEDIES[code] ?? (status < 500 ? 'Send another request.' : 'Try once more.');
}
