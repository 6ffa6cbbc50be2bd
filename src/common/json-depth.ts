const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKETS = [0x7b, 0x5b];

/** What a byte of JSON does to the depth: 1 opens, -1 closes, 2 begins a string. */
const EFFECT = new Int8Array(256);
EFFECT[0x7b] = EFFECT[0x5b] = 1;
EFFECT[0x7d] = EFFECT[0x5d] = -1;
EFFECT[QUOTE] = 2;

/** Whether JSON text in UTF-8 is nested deeper than a limit. */
export function isDeeperThan(limit: number, json: Buffer): boolean {
  return hasMoreLevels(limit, json) && isReallyDeeper(limit, json);
}

/** Whether JSON text in UTF-8 has more objects and arrays than a limit. Brackets in strings count too. */
export function hasMoreObjectsThan(limit: number, json: Buffer): boolean {
  // The smallest take two bytes.
  return json.length >= 2 * limit && hasMoreBrackets(limit, json, () => true);
}

/**
 * Whether more brackets open than the limit allows. Brackets in strings count too, so that `true` means "perhaps". Those
 * directly after a closing bracket and a comma, as in `},{`, do not count: they open no further level, in a string or not.
 * A list of records therefore has three. Reading every byte takes 2 to 6 % of a request, searching for brackets a tenth
 * to a fifth of that.
 */
function hasMoreLevels(limit: number, json: Buffer): boolean {
  return hasMoreBrackets(limit, json, (at) => json[at - 1] !== COMMA || EFFECT[json[at - 2] ?? 0] !== -1);
}

/** Whether the text has more opening brackets that count than the limit allows. */
function hasMoreBrackets(limit: number, json: Buffer, counts: (at: number) => boolean): boolean {
  let brackets = 0;
  for (const bracket of OPENING_BRACKETS) {
    for (let at = json.indexOf(bracket); at !== -1; at = json.indexOf(bracket, at + 1)) {
      if (counts(at)) brackets += 1;
      if (brackets > limit) return true;
    }
  }
  return false;
}

function isReallyDeeper(limit: number, json: Buffer): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const effect = EFFECT[json[index] ?? 0] ?? 0;
    if (effect === 0) continue;
    if (effect === 2) index = endOfString(json, index + 1);
    else depth += effect;
    if (depth > limit) return true;
  }
  return false;
}

function endOfString(json: Buffer, start: number): number {
  let index = start;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}
