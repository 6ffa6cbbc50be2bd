import { isoUtc } from '../../../common/iso-date';

/** A JSON object with fields in PascalCase or camelCase. */
export type UpstreamObject = Readonly<Record<string, unknown>>;

export function isUpstreamObject(value: unknown): value is UpstreamObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the values of one upstream response; values of the wrong type are unknown and recorded. */
export class ValueReader {
  foundInvalidValue = false;

  /** Converts numbers too, unless parsing has rounded them. */
  text(value: unknown): string | null {
    if (typeof value === 'string') return value;
    return isExactNumber(value) ? String(value) : this.unknown(value);
  }

  number(value: unknown): number | null {
    return isExactNumber(value) ? value : this.unknown(value);
  }

  boolean(value: unknown): boolean | null {
    return typeof value === 'boolean' ? value : this.unknown(value);
  }

  /** ISO 8601 UTC with milliseconds. */
  date(value: unknown): string | null {
    return (typeof value === 'string' ? isoUtc(value) : undefined) ?? this.unknown(value);
  }

  /** The objects of an array; other values are left out. */
  objects(value: unknown): readonly UpstreamObject[] {
    if (!Array.isArray(value)) {
      this.unknown(value);
      return [];
    }
    const objects = value.filter(isUpstreamObject);
    if (objects.length < value.length) this.foundInvalidValue = true;
    return objects;
  }

  private unknown(value: unknown): null {
    if (value != null) this.foundInvalidValue = true;
    return null;
  }
}

function isExactNumber(value: unknown): value is number {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
