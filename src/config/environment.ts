import { nearestName } from '../common/text';
import { TABLE, type Values, type Variable } from './settings-table';

/** The names of all settings. */
export const VARIABLES = Object.keys(TABLE) as Variable[];

/** How settings begin. Those of the second group protect the service: unknown ones of it are faults. */
const PREFIX = /^(?:(EXTERNAL_SHIPPING|CACHE|SANDBOX)|(AUTH|RATE_LIMIT|MANAGEMENT|FORWARD))_/;

/** What an environment says, variable by variable. */
export interface Environment {
  /** Without those that have faults. */
  readonly values: Partial<Values>;
  /** Without any value. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** The settings that are given, right or wrong. */
  readonly given: ReadonlySet<Variable>;
}

export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const given = VARIABLES.filter((name) => isGiven(env[name]));
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const name of VARIABLES) {
    const { schema, allowed } = TABLE[name];
    const { success, data } = schema.safeParse(given.includes(name) ? env[name]?.trim() : undefined);
    if (success) values[name] = data;
    else faults.push(`${name} must be ${allowed}`);
  }
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    const prefix = PREFIX.exec(name);
    if (prefix === null || name in TABLE || !isGiven(value) || isServiceLink(name, env)) continue;
    const text = `${name} is no setting; the nearest is ${String(nearestName(name, VARIABLES, 1))}`;
    (prefix[2] === undefined ? warnings : faults).push(text);
  }
  return { values, faults, warnings, given: new Set(given) };
}

/** Kubernetes gives the address of a service named `management` as `MANAGEMENT_PORT`. */
function isGiven(value = ''): boolean {
  return value.trim() !== '' && !/^\s*(tcp|udp):\/\//.test(value);
}

/** Whether Kubernetes adds the variable for a service, of which it also gives the host. */
function isServiceLink(name: string, env: NodeJS.ProcessEnv): boolean {
  return [...name.matchAll(/_(?:SERVICE_|PORT(?:_|$))/g)].some(
    ({ index }) => env[`${name.slice(0, index)}_SERVICE_HOST`] !== undefined,
  );
}
