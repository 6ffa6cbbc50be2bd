import { readSandboxSettings } from '../../../src/config/sandbox.settings';
import { readSettings } from '../../../src/config/settings';

/** Variables that Node and OpenTelemetry read, not the service. */
const FOREIGN = /^(NODE_ENV|NODE_OPTIONS|OTEL_[A-Z_]+)$/;

/** The names that a reader of settings asks for, as the code has them and not a copy of it. */
function namesReadBy(read: (env: NodeJS.ProcessEnv) => unknown): Set<string> {
  const names = new Set<string>();
  const env = new Proxy<NodeJS.ProcessEnv>({}, {
    get: (_, name) => {
      names.add(String(name));
      return undefined;
    },
  }); // prettier-ignore
  read(env);
  return names;
}

const OF_THE_SERVICE = namesReadBy(readSettings);
const OF_THE_SANDBOX = namesReadBy(readSandboxSettings);

/** What is wrong with the environment of a process: names that nobody reads, values that are refused at start. */
export function environmentFaults(env: Readonly<Record<string, string>>, process: 'service' | 'sandbox'): string[] {
  const known = process === 'service' ? OF_THE_SERVICE : OF_THE_SANDBOX;
  const unknown = Object.keys(env).filter((name) => !known.has(name) && !FOREIGN.test(name));
  const faults = unknown.map((name) => `${name} is read by nobody`);
  try {
    if (process === 'service') readSettings({ NODE_ENV: 'production', ...env });
    else readSandboxSettings(env);
  } catch (error) {
    faults.push(String(error));
  }
  return faults;
}
