import { parseDate } from '../model/iso-date';

/** A JSON object of a reply. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Remembers whether anything in a reply was not as agreed. */
export interface Oddities {
  found: boolean;
}

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a field, whose name may be in PascalCase or in camelCase; `undefined` where it is absent or null. */
export function field(object: WireObject, name: string): unknown {
  return object[name] ?? object[name.charAt(0).toLowerCase() + name.slice(1)] ?? undefined;
}

/**
 * Reads the fields of one object of a reply. An absent field and one of the wrong type both read as unknown; the wrong
 * type is remembered as an oddity.
 */
export class RecordReader {
  constructor(
    private readonly object: WireObject,
    private readonly oddities: Oddities,
  ) {}

  /** A number is as good as its text, unless parsing has rounded it. */
  text(name: string): string | null {
    const value = field(this.object, name);
    if (typeof value === 'string') return this.whole(value);
    return typeof value === 'number' && isExact(value) ? String(value) : this.unknown(value);
  }

  number(name: string): number | null {
    const value = field(this.object, name);
    return typeof value === 'number' && isExact(value) ? value : this.unknown(value);
  }

  boolean(name: string): boolean | null {
    const value = field(this.object, name);
    return typeof value === 'boolean' ? value : this.unknown(value);
  }

  /** ISO 8601 UTC with milliseconds. */
  date(name: string): string | null {
    const value = field(this.object, name);
    const date = typeof value === 'string' ? parseDate(value) : undefined;
    return date?.toISOString() ?? this.unknown(value);
  }

  /** The objects of an array; what is none is left out. */
  objects(name: string): WireObject[] {
    const value = field(this.object, name);
    if (!Array.isArray(value)) {
      this.unknown(value);
      return [];
    }
    const objects = value.filter(isWireObject);
    if (objects.length < value.length) this.oddities.found = true;
    return objects;
  }

  /** Bytes that were no UTF-8 have been replaced: the text is shown, but it is not what was sent. */
  private whole(text: string): string {
    if (text.includes('\ufffd')) this.oddities.found = true;
    return text;
  }

  private unknown(value: unknown): null {
    if (value !== undefined) this.oddities.found = true;
    return null;
  }
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
