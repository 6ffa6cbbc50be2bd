import { isoUtc } from '../model/iso-date';

/** A JSON object of a reply; each field under its PascalCase or its camelCase name. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the values of one reply. An absent value, or null, and one of the wrong type both read as unknown; the wrong type
 * is remembered as an oddity.
 */
export class ValueReader {
  /** Whether anything was not as agreed. */
  foundOddity = false;

  /** A number is as good as its text, unless parsing has rounded it. */
  text(value: unknown): string | null {
    if (typeof value === 'string') {
      // Bytes that were no UTF-8 have been replaced: the text is shown, but it is not what was sent.
      if (value.includes('\ufffd')) this.foundOddity = true;
      return value;
    }
    return typeof value === 'number' && isExact(value) ? String(value) : this.unknown(value);
  }

  number(value: unknown): number | null {
    return typeof value === 'number' && isExact(value) ? value : this.unknown(value);
  }

  boolean(value: unknown): boolean | null {
    return typeof value === 'boolean' ? value : this.unknown(value);
  }

  /** ISO 8601 UTC with milliseconds. */
  date(value: unknown): string | null {
    return (typeof value === 'string' ? isoUtc(value) : undefined) ?? this.unknown(value);
  }

  /** The objects of an array; what is none is left out. */
  objects(value: unknown): readonly WireObject[] {
    if (!Array.isArray(value)) {
      this.unknown(value);
      return [];
    }
    const objects = value.filter(isWireObject);
    if (objects.length < value.length) this.foundOddity = true;
    return objects;
  }

  private unknown(value: unknown): null {
    if (value != null) this.foundOddity = true;
    return null;
  }
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
