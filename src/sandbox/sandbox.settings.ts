import { isIP } from 'node:net';
import { SANDBOX_VARIANTS, type SandboxVariant } from './shipping-record';

export interface SandboxSettings {
  /** Address of the interface to listen on. */
  host: string;
  /** 0 for any free port. */
  port: number;
  records: number;
  variant: SandboxVariant;
}

/**
 * Reads `SANDBOX_HOST` (an IP address, default 127.0.0.1), `SANDBOX_PORT` (0 … 65535, default 0), `SANDBOX_RECORDS`
 * (1 … 1000000, default 2000) and `SANDBOX_VARIANT` (`extended` or `basic`, default `extended`). Numbers are plain digits; an empty variable counts as unset.
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
  if (variant === undefined || faults.length > 0) throw new Error(faults.join('\n'));
  return { host, port, records, variant };
}
