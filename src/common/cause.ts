/**
 * One thing that was missing or wrong, for those who have to mend it: log lines and spans print it, and no client sees
 * it (D81). It contains no value of a record or a client.
 */
export interface Cause {
  /** What it was, such as `text`, `records without an Id` or `status 503`. */
  readonly what: string;
  /** The field of a response in which it was, such as `TotalWeight`. */
  readonly field?: string;
  /** How many values or records it concerns; absent where it concerns the response as a whole. */
  readonly count?: number;
}

/** The sentence for one or several causes, such as `TotalWeight: text (3), records without an Id (2)`. */
export function printCauses(causes: readonly Cause[]): string {
  return causes.map(printed).join(', ');
}

function printed({ what, field, count }: Cause): string {
  const sentence = field === undefined ? what : `${field}: ${what}`;
  return count === undefined ? sentence : `${sentence} (${count})`;
}
