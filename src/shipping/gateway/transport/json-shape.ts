import { wrongShape } from '../../../resilience/upstream-failure';

/** The most arrays and objects that may be nested in the JSON of the external system (D59). */
const MAX_DEPTH = 64;
/** The most values that it may have: arrays, objects, and what they contain (D59). */
const MAX_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/**
 * Bounds the shape of a JSON text before it is parsed: 5 MB of nested arrays or of empty objects would take more than
 * 300 MiB. A list of 1,000 records takes 0.3 ms, about as long as `JSON.parse`, which finds out whether the text is
 * valid. Searching the end of a string is native code; a loop over its characters would take twice as long.
 *
 * @throws {UpstreamFailure} where it is nested too deep or has too many values
 */
export function checkShape(json: string, maxDepth = MAX_DEPTH, maxValues = MAX_VALUES): void {
  let depth = 0;
  // The outermost value. In an array or object, each comma and the end stand for one more, unless it is empty.
  let values = 1;
  let before = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) {
      at = endOfString(json, at);
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) throw wrongShape(`JSON nested deeper than ${maxDepth}`);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth -= 1;
      if (before !== OPEN_ARRAY && before !== OPEN_OBJECT) values += 1;
    } else if (code === COMMA) {
      values += 1;
    }
    if (values > maxValues) throw wrongShape(`JSON of more than ${maxValues} values`);
    before = code;
  }
}

/** The position of the quote that ends a string; the end of the text where there is none. */
function endOfString(json: string, start: number): number {
  let end = start;
  do end = json.indexOf('"', end + 1);
  while (end > 0 && isEscaped(json, end));
  return end < 0 ? json.length : end;
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(json: string, position: number): boolean {
  let first = position;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (position - first) % 2 === 1;
}
