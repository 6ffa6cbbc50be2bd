import { COMPLETE } from '../../model/completeness';
import type { MappedBody, Operation } from '../protocol/operation';

/** A complete result, and when it was stored: milliseconds since 1970, because replicas share entries. */
export interface CacheEntry {
  readonly result: MappedBody<unknown>;
  readonly storedAt: number;
}

const FORMAT = 1;

/** An entry as JSON. */
interface StoredEntry {
  readonly format: number;
  readonly operation: string;
  readonly storedAt: number;
  readonly body: unknown;
}

/** Encodes an entry as JSON. */
export function encodeEntry({ name }: Operation, { result, storedAt }: CacheEntry): string {
  const entry: StoredEntry = { format: FORMAT, operation: name, storedAt, body: result.body };
  return JSON.stringify(entry);
}

/**
 * Decodes what {@link encodeEntry} wrote.
 *
 * @returns `undefined` for invalid JSON, an entry of another format or operation, and a body that the operation cannot have
 */
export function decodeEntry({ name, isBody }: Operation, text: string): CacheEntry | undefined {
  let entry: Partial<StoredEntry> | null;
  try {
    entry = JSON.parse(text) as Partial<StoredEntry> | null;
  } catch {
    return undefined;
  }
  const { format, operation, storedAt, body } = entry ?? {};
  if (format !== FORMAT || operation !== name || !isTimestamp(storedAt) || !isBody(body)) return undefined;
  return { result: { body, completeness: COMPLETE }, storedAt };
}

function isTimestamp(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
