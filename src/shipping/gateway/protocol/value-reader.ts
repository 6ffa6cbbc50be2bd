import { isoUtc } from '../../../common/iso-date';
import { COMPLETE, type Completeness } from '../../model/query-result';

/** A JSON object with fields in PascalCase or camelCase. */
export type UpstreamObject = Readonly<Record<string, unknown>>;

export function isUpstreamObject(value: unknown): value is UpstreamObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `undefined` for a record without an Id. */
type RecordMapping<T> = (record: UpstreamObject, reader: ValueReader) => T | undefined;

/** The kind of a JSON value, for a log that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return kindOfNumber(value);
  return typeof value === 'string' ? 'text' : typeof value;
}

function kindOfNumber(value: number): string {
  if (Number.isSafeInteger(value)) return value < 0 ? 'negative number' : 'number';
  if (Number.isInteger(value)) return 'integer beyond 2^53';
  return Number.isFinite(value) ? 'number with a fraction' : 'number out of range';
}

/** More would make a line of the log that nobody reads. */
const MAX_NAMED = 10;
/** Longer words, and words with other characters, may be data rather than a status. */
const NAMEABLE_WORD = /^[\p{L}\p{N} _-]{1,32}$/u;
const UNNAMEABLE_WORD = 'with other characters than letters, digits, space, _ and -, or longer than 32';

/**
 * Reads the values of one upstream response by the table of D19. A value that can be read in one way only is read;
 * any other is unknown, and counted by the name of its field, which is what the log says about a partial response.
 */
export class ValueReader {
  /** Records that the response lacks. */
  dropped = 0;
  /** How often each status word came that is not known; a word that could be data is not named. */
  unknownWords: Map<string, number> | undefined;
  /** How often each value was malformed. Sound responses do without both maps. */
  private malformed: Map<string, number> | undefined;

  /** Converts integers too, unless parsing has rounded them; parsing may have changed the digits of a fraction. */
  text(value: unknown, name: string): string | null {
    if (typeof value === 'string') return value;
    return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : this.unknown(value, name);
  }

  number(value: unknown, name: string): number | null {
    if (isExactNumber(value)) return value;
    return (typeof value === 'string' ? numberOf(value) : undefined) ?? this.unknown(value, name);
  }

  boolean(value: unknown, name: string): boolean | null {
    return booleanOf(value) ?? this.unknown(value, name);
  }

  /** ISO 8601 UTC with milliseconds; `null` for the first of January of the year 1, a .NET service's "no date". */
  date(value: unknown, name: string): string | null {
    if (typeof value !== 'string') return this.unknown(value, name);
    if (isNoDate(value)) return null;
    return isoUtc(value) ?? isoUtc(asIso(value)) ?? this.unknown(value, name);
  }

  /** The first `max` objects of an array; other values are left out. */
  objects(value: unknown, name: string, max: number): readonly UpstreamObject[] {
    if (!Array.isArray(value)) {
      this.unknown(value, name);
      return [];
    }
    if (value.length > max) this.drop(`shipping items beyond ${max}`, value.length - max);
    const kept: readonly unknown[] = value.slice(0, max);
    const objects = kept.filter(isUpstreamObject);
    const others = kept.length - objects.length;
    if (others > 0) this.countMalformed('shipping items of the wrong type', others);
    return objects;
  }

  /** Maps the first `max` values: an external system may send more than memory holds as records. */
  records<T>(values: readonly unknown[], max: number, map: RecordMapping<T>): T[] {
    const records: T[] = [];
    for (const value of values.slice(0, max)) {
      const isObject = isUpstreamObject(value);
      const record = isObject ? map(value, this) : undefined;
      if (record !== undefined) records.push(record);
      else this.drop(isObject ? 'records without an Id' : 'records of the wrong type');
    }
    return records;
  }

  /** Counts a status word that is none of the specification's. */
  unknownWord(word: string): void {
    if (word.trim() === '') return;
    this.unknownWords = increased(this.unknownWords, NAMEABLE_WORD.test(word) ? `"${word}"` : UNNAMEABLE_WORD);
  }

  /** @param what the records in the plural, and why they are left out */
  drop(what: string, count = 1): void {
    this.dropped += count;
    this.countMalformed(what, count);
  }

  countMalformed(what: string, count = 1): void {
    this.malformed = increased(this.malformed, what, count);
  }

  completeness(): Completeness {
    if (this.malformed === undefined) return COMPLETE;
    const dropped = this.dropped > 0 && { dropped: this.dropped };
    return { level: 'partial', reason: 'bad-reply', ...dropped, cause: describeCounts(this.malformed) };
  }

  /** A blank text is an absent value: no text gets here from a field that holds text. */
  private unknown(value: unknown, name: string): null {
    const isAbsent = value == null || (typeof value === 'string' && value.trim() === '');
    if (!isAbsent) this.countMalformed(`${name}: ${kindOf(value)}`);
    return null;
  }
}

function increased(counts = new Map<string, number>(), what: string, count = 1): Map<string, number> {
  return counts.set(what, (counts.get(what) ?? 0) + count);
}

/** `TotalWeight: text (3), 2 records without an Id`. */
function describeCounts(counts: ReadonlyMap<string, number>): string {
  const named = [...counts].slice(0, MAX_NAMED);
  if (counts.size > MAX_NAMED) named.push(['kinds that are not named', counts.size - MAX_NAMED]);
  return named.map(describeCount).join(', ');
}

/** The count of a field stands behind it, and that of records before them, which are one record where it is 1. */
function describeCount([what, count]: readonly [string, number]): string {
  if (what.includes(': ')) return `${what} (${count})`;
  return `${count} ${count === 1 ? what.replace(/^(record|shipping item)s/, '$1') : what}`;
}

/** Integers beyond 2^53 were rounded when they were parsed. */
function isExactNumber(value: unknown): value is number {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number of a text in JSON's grammar; `undefined` where a `number` would not keep all of its digits. */
function numberOf(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined;
  const number = Number(text);
  return isExactNumber(number) && significantDigits(text) === significantDigits(String(number)) ? number : undefined;
}

function significantDigits(text: string): string {
  const [mantissa = ''] = text.split(/e/i, 1);
  // The number of zeros at the end is not bounded: an expression that is anchored there would take quadratic time.
  const digits = mantissa.replace(/\D/g, '').replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** `undefined` for a value that is no boolean, or can be read in two ways. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || (typeof value === 'string' && /^true$/i.test(value))) return true;
  if (value === 0 || value === '0' || (typeof value === 'string' && /^false$/i.test(value))) return false;
  return undefined;
}

/** Its zone may lead out of the years, so that it is tried in another year. */
function isNoDate(text: string): boolean {
  return text.startsWith('0001-01-01') && isoUtc(asIso(`2001${text.slice(4)}`)) !== undefined;
}

/** `2026-03-14 09:26:53+0100`, as databases write it, in the form of ISO 8601. */
function asIso(text: string): string {
  return text.replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T').replace(/^(.{10}T.{5,18}[+-]\d{2})(\d{2})$/, '$1:$2');
}
