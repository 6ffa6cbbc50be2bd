const DIRECTIVE = /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:=(?:"([^"]*)"|([^ \t",;]*)))?/y;

/** What a caller's `Cache-Control` (RFC 9111) allows. */
export interface RequestDirectives {
  /** How old an answer may be that is given again, in milliseconds; 0: none may. */
  readonly maxAgeMs: number;
  /** Whether the answer may be kept for others. */
  readonly store: boolean;
}

const NOTHING_SAID: RequestDirectives = { maxAgeMs: Infinity, store: true };

/** Reads `no-cache`, `no-store` and `max-age`, ignoring the rest. Unreadable text ends the reading. */
export function readDirectives(header: string | undefined): RequestDirectives {
  if (header === undefined) return NOTHING_SAID;
  let { maxAgeMs, store } = NOTHING_SAID;
  DIRECTIVE.lastIndex = 0;
  for (let found = DIRECTIVE.exec(header); found !== null; found = DIRECTIVE.exec(header)) {
    const name = found[1]?.toLowerCase();
    if (name === 'no-cache') maxAgeMs = 0;
    else if (name === 'max-age') maxAgeMs = Math.min(maxAgeMs, secondsIn(found[2] ?? found[3]) * 1000);
    else if (name === 'no-store') store = false;
  }
  return { maxAgeMs, store };
}

/** A number of seconds; what is none counts as 0, the strictest. */
function secondsIn(text = ''): number {
  return /^\d+$/.test(text) ? Number(text) : 0;
}
