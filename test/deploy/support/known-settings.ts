import { readSettings } from '../../../src/config/settings';
import { TABLE } from '../../../src/config/settings-table';

/** Variables that Node and OpenTelemetry read, not the service. */
const FOREIGN = /^(NODE_ENV|NODE_OPTIONS|OTEL_[A-Z_]+)$/;

/** What is wrong with the environment of a process: names that nobody reads, values that are refused at start. */
export function environmentFaults(env: Readonly<Record<string, string>>, process: 'service' | 'sandbox'): string[] {
  const unknown = Object.keys(env).filter((name) => !(name in TABLE) && !FOREIGN.test(name));
  const faults = unknown.map((name) => `${name} is read by nobody`);
  try {
    readSettings(process === 'service' ? { NODE_ENV: 'production', ...env } : env);
  } catch (error) {
    faults.push(String(error));
  }
  return faults;
}
