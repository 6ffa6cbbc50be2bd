import { distance } from 'fastest-levenshtein';

/** Names the parameters of a request that the service ignored. */
export const IGNORED_PARAMETERS_HEADER = 'Shipping-Ignored-Parameters';

/** More are not named: the header stays small. */
export const MAX_IGNORED_LISTED = 10;

const LISTABLE_NAME = /^[\x20-\x7e]{1,64}$/;

/** Characters that do not count where names are compared. */
const SEPARATORS = /[_\-[\](){}]/g;
const MAX_DIFFERENT_PERCENT = 40;
const MIN_PREFIX_LENGTH = 4;

/** An ignored parameter, or the ignored value of a known one. */
export interface Ignored {
  readonly name: string;
  readonly isValue: boolean;
}

/**
 * Lists what was ignored as a structured field (RFC 9651): a list of strings, each once. Names that are not 1 to 64
 * printable ASCII characters are left out.
 *
 * @param hintAt the parameter of the field that says what else the client may have meant; empty where nothing
 * @returns `undefined` where no name is left
 */
export function listIgnored(ignored: readonly Ignored[], hintAt: (name: string) => string): string | undefined {
  const distinct = new Map(ignored.map((one) => [`${one.isValue} ${one.name}`, one]));
  const listed = [...distinct.values()].filter(({ name }) => LISTABLE_NAME.test(name)).slice(0, MAX_IGNORED_LISTED);
  if (listed.length === 0) return undefined;
  return listed.map(({ name, isValue }) => quoted(name) + (isValue ? ';value' : hintAt(name))).join(', ');
}

/** The hint at a parameter of another operation, otherwise at one of this operation. */
export function ignoredHint(operation: string | undefined, nearest: string | undefined): string {
  if (operation !== undefined) return `;of=${quoted(operation)}`;
  return nearest === undefined ? '' : `;did-you-mean=${quoted(nearest)}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Finds the known name that a client probably meant. */
export class NearestNames {
  private readonly known: readonly { readonly name: string; readonly key: string }[];

  constructor(names: readonly string[]) {
    this.known = names.map((name) => ({ name, key: keyOf(name) }));
  }

  /**
   * The known name with the fewest different characters, of which there are at most 40 % of the longer name; otherwise
   * the first that begins with this name, or with which it begins, in at least four characters. Case, `_`, `-` and
   * brackets do not count.
   *
   * @returns `undefined` where no known name is near
   */
  of(name: string): string | undefined {
    const key = keyOf(name);
    let nearest: string | undefined;
    let fewest = Infinity;
    for (const known of this.known) {
      const differences = distance(key, known.key);
      const near = differences * 100 <= MAX_DIFFERENT_PERCENT * Math.max(key.length, known.key.length);
      if (!near || differences >= fewest) continue;
      nearest = known.name;
      fewest = differences;
    }
    return nearest ?? this.known.find((known) => beginAlike(key, known.key))?.name;
  }
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(SEPARATORS, '');
}

function beginAlike(left: string, right: string): boolean {
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  return shorter.length >= MIN_PREFIX_LENGTH && longer.startsWith(shorter);
}
