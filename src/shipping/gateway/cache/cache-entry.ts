import { COMPLETE, type Answer } from '../../model/completeness';
import { BODIES, hasShape, isCount, isText, type Operation, type Shape } from '../operation';

/** A complete answer, and when it came: milliseconds since 1970, because replicas share entries. */
export interface CacheEntry {
  readonly answer: Answer<unknown>;
  readonly storedAt: number;
}

const FORMAT = 1;

const ENTRY: Shape<{ format: number; operation: string; storedAt: number; body: unknown }> = {
  format: isCount,
  operation: isText,
  storedAt: isCount,
  body: () => true,
};

/** Writes an entry down as JSON. */
export function encodeEntry(operation: Operation, { answer, storedAt }: CacheEntry): string {
  return JSON.stringify({ format: FORMAT, operation, storedAt, body: answer.body });
}

/**
 * Reads what {@link encodeEntry} wrote.
 *
 * @returns `undefined` for everything else: broken JSON, another format or operation, a body that is not of its shape
 */
export function decodeEntry(operation: Operation, text: string): CacheEntry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!hasShape(ENTRY, entry) || entry.format !== FORMAT || entry.operation !== operation) return undefined;
  if (!BODIES[operation](entry.body)) return undefined;
  return { answer: { body: entry.body, completeness: COMPLETE }, storedAt: entry.storedAt };
}
