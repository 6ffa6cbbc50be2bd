import { createSecureContext } from 'node:tls';
import { succeeds } from '../common/errors';
import { nearestName } from '../common/text';
import { readSecretFile } from './secret-file';
import { TABLE, type Values, type Variable } from './settings.schema';

const VARIABLES = Object.keys(TABLE) as Variable[];
/**
 * The prefixes by which a variable that is no setting is recognised as a misspelled one (D26). With a prefix of the
 * first group it is a warning. With one of the second it is a fault, and the service does not start: a setting that is
 * lost there would leave something open, such as the operations without authentication.
 */
const PREFIX = /^(?:(EXTERNAL_SHIPPING|CACHE|SANDBOX)|(AUTH|RATE_LIMIT|MANAGEMENT|FORWARD))_/;
const OAUTH = 'EXTERNAL_SHIPPING_OAUTH';

/**
 * Where a variable is given whose name matches `names`, each of the `required` ones must be given, too. Instead of a
 * variable, that with `_FILE` at the end of its name may be given.
 */
type Group = readonly [names: RegExp, required: readonly Variable[]];

/** The kinds of credentials for the external system. Only one kind may be given (D35). */
const CREDENTIALS: readonly Group[] = [
  [/^EXTERNAL_SHIPPING_TOKEN/, ['EXTERNAL_SHIPPING_TOKEN']],
  [/^EXTERNAL_SHIPPING_API_KEY/, ['EXTERNAL_SHIPPING_API_KEY']],
  [/_OAUTH_/, [`${OAUTH}_TOKEN_URL`, `${OAUTH}_CLIENT_ID`, `${OAUTH}_CLIENT_SECRET`]],
];

/**
 * Variables that need others. Without these they have no effect, such as a client certificate without its key, or leave
 * the service open, such as `AUTH_ISSUER` without `AUTH_JWKS_URL`.
 */
const DEPENDENT_VARIABLES: readonly Group[] = [
  [/_CLIENT_(CERT|KEY)_/, ['EXTERNAL_SHIPPING_CLIENT_CERT_FILE', 'EXTERNAL_SHIPPING_CLIENT_KEY_FILE']],
  // A request without a claim that has to be forwarded is 403, and claims come from verified tokens only: without an
  // issuer, every request would be 403.
  [/^FORWARD_CLAIMS/, ['AUTH_ISSUER']],
  // Where one of these is missing, tokens are not verified at all, and the operations would be open to everybody.
  [/^AUTH_(?!API_KEYS)/, ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL']],
  // `RATE_LIMIT_WINDOW_MS` alone looks like a limit, but nothing is limited without `RATE_LIMIT_MAX`.
  [/^RATE_LIMIT_/, ['RATE_LIMIT_MAX']],
];

/** As `docker --env-file` leaves a value that `.env` has within quotes. */
const QUOTED = /^(["'`]).*\1$/s;
/** As Kubernetes sets `MANAGEMENT_PORT`, such as to `tcp://10.0.0.1:80`, where a service is named `management`. */
const ADDRESS_OF_SERVICE = /^(tcp|udp):\/\//;

type Environment = Record<'faults' | 'warnings', string[]> & { values: Partial<Values> };

/**
 * Reads all settings from the environment variables. Faults and warnings contain no values, which may be secrets;
 * `values` has only the valid settings.
 */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const given = new Map<string, string>();
  const read: Record<string, unknown> = {};
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of VARIABLES) {
    const { schema, allowed } = TABLE[name];
    const text = env[name] ?? '';
    // Only an empty value counts as unset: `"$A $B"` with two unset variables must not switch a protection off.
    const value = text.trim() === '' ? text : text.trim();
    if (value !== '' && !ADDRESS_OF_SERVICE.test(value)) given.set(name, value);
    const { success, data } = schema.safeParse(given.get(name));
    if (QUOTED.test(value)) faults.push(`${name} is within quotes, which are no part of a value`);
    else if (!success) {
      const { fault } = name.endsWith('_FILE') ? readSecretFile(value) : {};
      faults.push(`${name} must be ${allowed}${fault === undefined ? '' : `: ${fault}`}`);
    }
    read[name] = data;
    // A file may hold the value of the variable that is named without this ending.
    if (name.endsWith('_FILE')) read[name.slice(0, -'_FILE'.length)] ??= data;
  }
  const values = read as Partial<Values>;
  const isKnown = /^(production|development|test)$/.test(values.NODE_ENV ?? 'development');
  if (!isKnown && !given.has('EXTERNAL_SHIPPING_BASE_URL')) {
    warnings.push('NODE_ENV is neither production, development nor test: the sandbox is used, with invented records');
  }
  for (const [name, value] of Object.entries(env)) {
    const prefix = PREFIX.exec(name);
    if (prefix === null || name in TABLE || !value?.trim() || isServiceLink(name, env)) continue;
    const line = `${name} is no setting; the nearest is ${String(nearestName(name, VARIABLES, 1))}`;
    (prefix[2] === undefined ? warnings : faults).push(line);
  }
  return { values, faults: [...faults, ...faultsBetween(values, given), ...faultsOfGroups(given)], warnings };
}

/**
 * Whether Kubernetes has added a variable for a service, such as `AUTH_API_PORT` for one named `auth-api`. It then has
 * added `AUTH_API_SERVICE_HOST`, too, which shows that the name is no misspelled setting.
 */
function isServiceLink(name: string, env: NodeJS.ProcessEnv): boolean {
  return [...name.matchAll(/_(?:SERVICE_|PORT(?:_|$))/g)].some(({ index }) =>
    env[`${name.slice(0, index)}_SERVICE_HOST`]?.trim(),
  );
}

/** Faults of values that are valid alone, but not together. */
function faultsBetween(values: Partial<Values>, given: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  if (values.NODE_ENV === 'production' && !given.has('EXTERNAL_SHIPPING_BASE_URL')) {
    faults.push('EXTERNAL_SHIPPING_BASE_URL must be given where NODE_ENV is production');
  }
  if (values.MANAGEMENT_PORT !== undefined && values.MANAGEMENT_PORT !== 0 && values.MANAGEMENT_PORT === values.PORT) {
    faults.push('MANAGEMENT_PORT must differ from PORT');
  }
  const { EXTERNAL_SHIPPING_CLIENT_CERT_FILE: cert, EXTERNAL_SHIPPING_CLIENT_KEY_FILE: key } = values;
  if (!succeeds(() => createSecureContext({ cert, key }))) {
    faults.push('EXTERNAL_SHIPPING_CLIENT_KEY_FILE must be the key of EXTERNAL_SHIPPING_CLIENT_CERT_FILE');
  }
  return faults;
}

/**
 * Faults of variables that are given both as a value and as a file, of credentials of more than one kind, and of
 * variables without others that they need.
 */
function faultsOfGroups(given: ReadonlyMap<string, string>): string[] {
  const twice = VARIABLES.filter((name) => given.has(name) && given.has(`${name}_FILE`));
  const faults = twice.map((name) => `${name}_FILE must not be given where ${name} is`);
  const namesOf = ([names]: Group): Variable[] => VARIABLES.filter((name) => names.test(name) && given.has(name));
  const [credential, ...further] = CREDENTIALS.filter((group) => namesOf(group).length > 0);
  for (const name of further.flatMap(namesOf)) faults.push(`${name} must not be given: one credential only`);
  for (const group of credential === undefined ? DEPENDENT_VARIABLES : [credential, ...DEPENDENT_VARIABLES]) {
    const names = namesOf(group);
    const missing = group[1].filter((name) => !given.has(name) && !given.has(`${name}_FILE`));
    if (names.length > 0) faults.push(...missing.map((name) => `${name} must be given where ${names.join(', ')} is`));
  }
  return faults;
}
