import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/*
 * Import it before everything that reads the environment: it adds the variables of `.env` in the working directory. Those of
 * the environment win. In production the file is not read.
 */
const FILE = '.env';
/** A value in quotes may have several lines. */
const QUOTED_VALUE = /=[ \t]*(["'`])[^]*?\1/g;
const EMPTY_OR_COMMENT_OR_VARIABLE = /^\s*(?:$|#|(?:export\s+)?[\w.-]+\s*=)/;

if (process.env.NODE_ENV !== 'production' && existsSync(FILE)) {
  try {
    const text = readFileSync(FILE, 'utf8');
    refuseFaultyLines(text);
    Object.assign(process.env, { ...parseEnv(text), ...process.env });
  } catch (error) {
    process.stderr.write(`${FILE} cannot be used: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** Node reads a line without `=` as a part of another line. */
function refuseFaultyLines(text: string): void {
  const lines = text.replaceAll(QUOTED_VALUE, (value) => `=${value.replaceAll(/[^\n]/g, '')}`).split('\n');
  const index = lines.findIndex((line) => !EMPTY_OR_COMMENT_OR_VARIABLE.test(line));
  if (index !== -1) throw new Error(`line ${index + 1} is not of the form NAME=value`);
}
