import { BadRequestException } from '@nestjs/common';

const DIGITS = /^[0-9]{1,10}$/;
const LARGEST_INTEGER = 2_147_483_647;
const UTC_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** A refused request: 400 with `{ Error }`. */
export function badRequest(message: string): BadRequestException {
  return new BadRequestException({ Error: message });
}

/**
 * Reads the parameters of a query string strictly: names are spelled exactly, each is given at most once and none is
 * empty, so that an error of the client is reported.
 */
export class QueryReader<Name extends string> {
  private readonly values = new Map<string, string>();

  /**
   * @param query - what the query string was parsed into; a parameter given twice is an array
   * @param names - the parameters the operation knows
   * @throws BadRequestException naming the first unknown, repeated, empty or unprintable parameter
   */
  constructor(query: Readonly<Record<string, unknown>>, names: readonly Name[]) {
    for (const [name, value] of Object.entries(query)) {
      if (!(names as readonly string[]).includes(name)) throw badRequest(`Unknown parameter ${name}`);
      if (typeof value !== 'string') throw badRequest(`${name} is given more than once`);
      if (value === '') throw badRequest(`${name} is empty`);
      if (CONTROL_CHARACTER.test(value)) throw badRequest(`${name} holds a control character`);
      this.values.set(name, value);
    }
  }

  /** The text of a parameter that may be absent. */
  text(name: Name): string | undefined {
    return this.values.get(name);
  }

  /** One of the given texts, in exactly that spelling. */
  choice<Choice extends string>(name: Name, choices: readonly Choice[]): Choice | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) throw badRequest(`${name} must be one of ${choices.join(', ')}`);
    return chosen;
  }

  /** Decimal digits from 1 to `maximum`. */
  integer(name: Name, maximum = LARGEST_INTEGER): number | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!DIGITS.test(value) || number < 1 || number > maximum) {
      throw badRequest(`${name} must be an integer from 1 to ${maximum}`);
    }
    return number;
  }

  /** An existing moment as `YYYY-MM-DDThh:mm:ss.sssZ`. */
  date(name: Name): string | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const time = UTC_DATE.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time) || new Date(time).toISOString() !== value) {
      throw badRequest(`${name} must be a date as YYYY-MM-DDThh:mm:ss.sssZ`);
    }
    return value;
  }
}

/** The value itself; 400 where it is absent. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw badRequest(`${name} is required`);
  return value;
}
