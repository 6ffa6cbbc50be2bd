import { isIP } from 'node:net';
import { DEFAULT_TODAY } from './record-generator';
import { SANDBOX_VARIANTS, type SandboxVariant } from './shipping-record';

export interface SandboxSettings {
  /** Address of the interface to listen on. */
  host: string;
  /** 0 for any free port. */
  port: number;
  records: number;
  variant: SandboxVariant;
  /** The day, `YYYY-MM-DD`, before which all dates of the records are. */
  today: string;
}

/**
 * Reads `SANDBOX_HOST` (an IP address, default 127.0.0.1), `SANDBOX_PORT` (0 … 65535, default 0), `SANDBOX_RECORDS`
 * (1 … 1000000, default 2000), `SANDBOX_VARIANT` (`extended` or `basic`, default `extended`) and `SANDBOX_TODAY` (a day
 * as `YYYY-MM-DD` from the year 2000 on, or `today` in UTC, default 2026-07-03). Numbers are plain digits; an empty
 * variable counts as unset.
 *
 * @throws Error naming every fault, one a line
 */
export function readSandboxSettings(environment: NodeJS.ProcessEnv): SandboxSettings {
  const faults: string[] = [];
  const integer = (name: string, fallback: number, low: number, high: number): number => {
    const text = environment[name] ?? '';
    if (text === '') return fallback;
    const value = Number(text);
    if (!/^[0-9]{1,10}$/.test(text) || value < low || value > high) {
      faults.push(`${name} must be an integer from ${low} to ${high}, in plain digits`);
    }
    return value;
  };
  const address = environment.SANDBOX_HOST ?? '';
  const host = address === '' ? '127.0.0.1' : address;
  if (isIP(host) === 0) faults.push('SANDBOX_HOST must be an IP address');
  const port = integer('SANDBOX_PORT', 0, 0, 65_535);
  const records = integer('SANDBOX_RECORDS', 2_000, 1, 1_000_000);
  const text = environment.SANDBOX_VARIANT ?? '';
  const variant = text === '' ? 'extended' : SANDBOX_VARIANTS.find((known) => known === text);
  if (variant === undefined) faults.push(`SANDBOX_VARIANT must be one of ${SANDBOX_VARIANTS.join(', ')}`);
  const today = readToday(environment.SANDBOX_TODAY ?? '');
  if (today === undefined) faults.push('SANDBOX_TODAY must be today or a day as YYYY-MM-DD, from 2000-01-01 on');
  if (variant === undefined || today === undefined || faults.length > 0) throw new Error(faults.join('\n'));
  return { host, port, records, variant, today };
}

function readToday(text: string): string | undefined {
  if (text === '') return DEFAULT_TODAY;
  if (text === 'today') return new Date().toISOString().slice(0, 10);
  const time = /^[2-9]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse moves days that a month does not have into the next one.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined;
}
