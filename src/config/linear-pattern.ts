import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Matches a whole text in time that grows linearly with its length. */
export interface TextPattern {
  /** The regular expression, anchored. */
  readonly source: string;
  test(text: string): boolean;
}

/** The reason for which a pattern cannot be matched in linear time. `message` contains no part of the pattern. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError';
}

const ESCAPE_OR_CLASS = /\\.|\[(?:\\.|[^\]\\])*\]/gsu;

/**
 * Compiles a pattern for RE2, which never backtracks. The pattern has to be an ECMAScript one too, because the OpenAPI
 * document publishes it.
 *
 * @throws {UnsupportedPatternError}
 */
export function linearPattern(source: string): TextPattern {
  // Without the group that is added below: `a)(b` is valid inside that group, but not alone.
  if (!isEcmaScript(source)) throw new UnsupportedPatternError('must be a regular expression');
  const tokens = source.match(ESCAPE_OR_CLASS) ?? [];
  const outside = source.replaceAll(ESCAPE_OR_CLASS, '');
  if (/\(\?<?[=!]/.test(outside)) throw new UnsupportedPatternError('must not look ahead or behind');
  // RE2 would read `\k` as a letter.
  if (tokens.some((token) => /^\\[1-9k]/.test(token))) throw new UnsupportedPatternError('must not refer back');
  // RE2 and ECMAScript read this differently.
  if (tokens.some((token) => token.startsWith('[') && token.includes('[:'))) {
    throw new UnsupportedPatternError('must not hold [: within a class');
  }
  const compiled = compile(source);
  return Object.freeze({ source: `^(?:${source})$`, test: (text: string) => compiled.matches(text) });
}

function isEcmaScript(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    // The description is one of a fixed list; the message would contain the pattern.
    const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : 'unsupported syntax';
    throw new UnsupportedPatternError(`must be a regular expression that RE2 supports: ${reason}`);
  }
}
