const DIRECTIVE = /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:=(?:"([^"]*)"|([^ \t",;]*)))?/y;

/** What the `Cache-Control` of a client (RFC 9111) allows. */
export interface RequestDirectives {
  /** The highest age of a cached result, in milliseconds; 0: none may be served. */
  readonly maxAgeMs: number;
  /** Whether the result may be stored. */
  readonly store: boolean;
}

const NO_DIRECTIVES: RequestDirectives = { maxAgeMs: Infinity, store: true };

/** Reads `no-cache`, `no-store` and `max-age`, and ignores other directives and what follows invalid text. */
export function readDirectives(header: string | undefined): RequestDirectives {
  if (header === undefined) return NO_DIRECTIVES;
  let { maxAgeMs, store } = NO_DIRECTIVES;
  DIRECTIVE.lastIndex = 0;
  for (let found = DIRECTIVE.exec(header); found !== null; found = DIRECTIVE.exec(header)) {
    const name = found[1]?.toLowerCase();
    if (name === 'no-cache') maxAgeMs = 0;
    else if (name === 'max-age') maxAgeMs = Math.min(maxAgeMs, secondsIn(found[2] ?? found[3]) * 1000);
    else if (name === 'no-store') store = false;
  }
  return { maxAgeMs, store };
}

/** A number of seconds; invalid text counts as 0, the strictest. */
function secondsIn(text = ''): number {
  return /^\d+$/.test(text) ? Number(text) : 0;
}
