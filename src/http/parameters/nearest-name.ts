import { distance } from 'fastest-levenshtein';

/** Characters that do not count where names are compared. */
const SEPARATORS = /[_\-[\](){}]/g;
const MAX_DIFFERENT_PERCENT = 40;
const MIN_PREFIX_LENGTH = 4;

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
