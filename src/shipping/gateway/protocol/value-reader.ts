import type { Cause } from '../../../common/errors';
import { isoUtc } from '../../../common/iso-date';
import { asPartial, COMPLETE, type Completeness, withCauses } from '../../model/query-result';
import { ShippingStatus, STATUS_WORDS } from '../../model/shipping-status';

/** A JSON object with fields in PascalCase or camelCase. */
export type UpstreamObject = Readonly<Record<string, unknown>>;

export function isUpstreamObject(value: unknown): value is UpstreamObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The kind of a JSON value, for a log that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'number') return typeof value === 'string' ? 'text' : typeof value;
  if (Number.isSafeInteger(value)) return value < 0 ? 'negative number' : 'number';
  if (Number.isInteger(value)) return 'integer beyond 2^53';
  return Number.isFinite(value) ? 'number with a fraction' : 'number out of range';
}

/** The value of a field, by its name in PascalCase or in camelCase. */
export function fieldOf(object: UpstreamObject, name: string): unknown {
  const value = object[name] ?? object[name.charAt(0).toLowerCase() + name.slice(1)];
  return value === undefined ? object[name] : value;
}

/** A count, also one that is sent as text, as those with protobuf do; `undefined` for any other value (D14). */
export function countOf(value: unknown, min = 0): number | undefined {
  const count = typeof value === 'string' && /^\s*(?:0|[1-9]\d*)\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= min ? count : undefined;
}

/** Whether an object has one of the fields, with whatever value. */
export function hasAnyOf(names: readonly string[], object: UpstreamObject): boolean {
  return names.some((name) => fieldOf(object, name) !== undefined);
}

/** Whether a value is a text that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * A blank text counts as an absent value, not as a malformed one, where a number, boolean, date or list is expected
 * (D19).
 */
export function isAbsent(value: unknown): boolean {
  return value == null || (typeof value === 'string' && !isText(value));
}

/** Reads a boolean; `undefined` for a value that is no boolean, or that can be read as both (D19). */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || (typeof value === 'string' && /^true$/i.test(value))) return true;
  if (value === 0 || value === '0' || (typeof value === 'string' && /^false$/i.test(value))) return false;
  return undefined;
}

/** The most kinds of malformed values in a cause; a longer line of the log would not be read. */
const MAX_NAMED = 10;

/** Counts what was wrong with a response, for the log. */
export class CauseCounts {
  private counted: Map<string, Cause & { count: number }> | undefined;

  /** @returns `null`, which stands for what is counted */
  add(what: string, { field, count = 1 }: Partial<Cause> = {}): null {
    const key = `${field ?? ''}: ${what}`;
    this.counted ??= new Map();
    const known = this.counted.get(key);
    if (known === undefined) this.counted.set(key, { what, field, count });
    else known.count += count;
    return null;
  }

  get causes(): readonly Cause[] {
    return this.counted === undefined ? [] : [...this.counted.values()].slice(0, MAX_NAMED);
  }
}

/**
 * The status words that the log may show. Longer words, and words with other characters, may be data rather than a
 * status.
 */
const NAMEABLE_WORD = /^[\p{L}\p{N} _-]{1,32}$/u;

/**
 * Reads the values of one upstream response (D19). A value with one possible meaning, such as the text `12.5` for a
 * number, is converted. Any other becomes `null`, makes the response partial, and is counted by the name of its field,
 * for the log.
 */
export class ValueReader {
  /**
   * Number of records that were left out, and of shipping items beyond the most that a record may have. Clients see it
   * as `dropped` in `Shipping-Completeness`.
   */
  dropped = 0;
  readonly malformed = new CauseCounts();
  /** Values that are read, although no shipment has them, and status words: they make no response partial. */
  private readonly unusual = new CauseCounts();

  /**
   * Converts integers to text, too, unless JSON parsing has rounded them. A number with a fraction is not converted,
   * because parsing may have changed its digits.
   */
  text(value: unknown, name: string): string | null {
    if (typeof value === 'string') return value;
    return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : this.unknown(value, name);
  }

  number(value: unknown, name: string): number | null {
    const number = typeof value === 'string' && JSON_NUMBER.test(value) ? Number(value) : value;
    // Integers beyond 2^53 were rounded when they were parsed.
    const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
    return isExact ? (number as number) : this.unknown(value, name);
  }

  boolean(value: unknown, name: string): boolean | null {
    return booleanOf(value) ?? this.unknown(value, name);
  }

  /**
   * The status of a word, whatever its case and the blanks around it (`CHAR` columns). A word that is none of the
   * specification's is `Unknown`. The response stays complete, so that only the log shows such words.
   */
  status(value: unknown): ShippingStatus {
    const word = this.text(value, 'Status')?.trim() ?? '';
    const status = STATUS_WORDS.get(word.toLowerCase());
    if (status === undefined && word !== '')
      this.unusual.add(NAMEABLE_WORD.test(word) ? `unknown word '${word}'` : 'unknown text', { field: 'Status' });
    return status ?? ShippingStatus.Unknown;
  }

  /** ISO 8601 UTC with milliseconds; `null` for the days that databases and frameworks write for "no date" (D13). */
  date(value: unknown, name: string): string | null {
    if (typeof value !== 'string') return this.unknown(value, name);
    const date = isoUtc(value) ?? isoUtc(asIso(value));
    if (date !== undefined && date >= EARLIEST && date <= LATEST) return date;
    // Whether it is a date but for its day. The rest is checked with the year 2001, because its zone may move the year
    // 1 into the year 0, which is no date.
    const hasOtherDay = DAY.test(value) && isoUtc(asIso(value.replace(DAY, '2001-01-01'))) !== undefined;
    if (hasOtherDay && NO_DATE.test(value)) return null;
    if (date === undefined) return this.unknown(value, name, hasOtherDay ? 'no such day' : shapeOf(value));
    // No shipment has such a date, but it can be read: the response is no less complete, and the log names the field.
    this.unusual.add('before 1971 or more than 50 years ahead', { field: name });
    return date;
  }

  /**
   * Maps the first `max` values only: a response may have more values than the memory has room for as mapped records.
   *
   * @param map returns `null` for a malformed value, which it counts
   */
  list<T>(values: readonly unknown[], max: number, map: (value: unknown, reader: ValueReader) => T | null): T[] {
    const mapped: T[] = [];
    for (let index = 0; index < max && index < values.length; index += 1) {
      const one = map(values[index], this);
      if (one !== null) mapped.push(one);
    }
    return mapped;
  }

  /** @param what the dropped records in the plural, and why they are dropped, such as `records without an Id` */
  drop(what: string, count = 1): null {
    this.dropped += count;
    return this.malformed.add(what, { count });
  }

  completeness(): Completeness {
    const [malformed, unusual] = [this.malformed.causes, this.unusual.causes];
    if (malformed.length > 0) return asPartial(COMPLETE, [...malformed, ...unusual], this.dropped);
    return unusual.length > 0 ? withCauses(COMPLETE, unusual) : COMPLETE;
  }

  /** Counts a value as malformed, unless it is absent. */
  unknown(value: unknown, name: string, kind = kindOf(value)): null {
    return isAbsent(value) ? null : this.malformed.add(kind, { field: name });
  }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The days for "no date": of a .NET service, of MySQL, and the latter as `DateTime` of PHP writes it. */
const NO_DATE = /^(?:0001-01-01|0000-00-00|-0001-11-30)/;
const DAY = /^-?\d{4}-\d{2}-\d{2}/;

/** No shipment is older than the first year of Unix time, in which "no date" falls as well. */
const EARLIEST = '1971';
const FIFTY_YEARS_MS = 50 * 365.25 * 24 * 60 * 60 * 1000;
const LATEST = new Date(Date.now() + FIFTY_YEARS_MS).toISOString();

const LONGEST_SHAPE = 40;

/** The shape of a text, such as `99-Aaa-9999`, which shows its format and not its value (D81). */
export function shapeOf(text: string): string {
  // A cause has `, ` between its parts.
  const shape = [...text.slice(0, LONGEST_SHAPE)].map(maskOf).join('').replaceAll(', ', ',');
  return text.length > LONGEST_SHAPE ? `${shape}…` : shape;
}

/** Of other characters than letters and digits, those remain that dates have. */
function maskOf(character: string): string {
  if (/\d/.test(character)) return '9';
  if (/\p{N}/u.test(character)) return 'D';
  if (/\p{L}/u.test(character)) return /\p{Lu}/u.test(character) ? 'A' : 'a';
  return /[-+/.,: ()]/.test(character) ? character : '?';
}

/** Turns `2026-03-14 09:26:53+01` or `+0100`, as databases write it, into ISO 8601. */
function asIso(text: string): string {
  const withT = text.replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T');
  return withT.replace(/^(.{10}T.{5,18}[+-]\d{2})$/, '$1:00').replace(/^(.{10}T.{5,18}[+-]\d{2})(\d{2})$/, '$1:$2');
}
