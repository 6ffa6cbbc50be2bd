import { existsSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { nearestName } from '../common/edit-distance';
import { succeeds } from '../common/errors';
import { TABLE, type Values, type Variable } from './settings-table';

const VARIABLES = Object.keys(TABLE) as Variable[];

/** How settings begin. Those of the second group protect the service: unknown ones of it are faults. */
const PREFIX = /^(?:(EXTERNAL_SHIPPING|CACHE|SANDBOX)|(AUTH|RATE_LIMIT|MANAGEMENT|FORWARD))_/;
const OAUTH = 'EXTERNAL_SHIPPING_OAUTH';

/** Variables that belong together: where one of the names is given, those that are required are, or their files. */
interface Group {
  readonly names: RegExp;
  readonly required: readonly Variable[];
}

/** One kind of credential each, of which one may be given. */
const CREDENTIALS: readonly Group[] = [
  { names: /^EXTERNAL_SHIPPING_TOKEN/, required: ['EXTERNAL_SHIPPING_TOKEN'] },
  { names: /^EXTERNAL_SHIPPING_API_KEY/, required: ['EXTERNAL_SHIPPING_API_KEY'] },
  { names: /_OAUTH_/, required: [`${OAUTH}_TOKEN_URL`, `${OAUTH}_CLIENT_ID`, `${OAUTH}_CLIENT_SECRET`] },
];

const OTHERS: readonly Group[] = [
  {
    names: /_CLIENT_(CERT|KEY)_/,
    required: ['EXTERNAL_SHIPPING_CLIENT_CERT_FILE', 'EXTERNAL_SHIPPING_CLIENT_KEY_FILE'],
  },
  // Without verified claims, clients would choose their tenant.
  { names: /^FORWARD_CLAIMS/, required: ['AUTH_ISSUER'] },
  // With some of them missing, the operations would be open, or accept tokens for other services.
  { names: /^AUTH_(?!API_KEYS)/, required: ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'] },
];

/**
 * Adds the variables of `.env` in the working directory to the environment, whose own variables win. Does nothing in
 * production.
 *
 * @throws Error where the file cannot be read
 */
export function loadEnvFile(): void {
  if (process.env.NODE_ENV !== 'production' && existsSync('.env')) process.loadEnvFile();
}

/** What variables say. Faults and warnings contain no value; `values` lacks what has faults. */
interface Environment {
  readonly values: Partial<Values>;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const given = new Set(VARIABLES.filter((name) => isGiven(env[name])));
  const read: Record<string, unknown> = {};
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of VARIABLES) {
    const { schema, allowed } = TABLE[name];
    const { success, data } = schema.safeParse(given.has(name) ? env[name]?.trim() : undefined);
    if (success) read[name] = data;
    else faults.push(`${name} must be ${allowed}`);
  }
  for (const [name, value] of Object.entries(env)) {
    const prefix = PREFIX.exec(name);
    if (prefix === null || name in TABLE || !isGiven(value) || isServiceLink(name, env)) continue;
    const text = `${name} is no setting; the nearest is ${String(nearestName(name, VARIABLES, 1))}`;
    (prefix[2] === undefined ? warnings : faults).push(text);
  }
  const values = read as Partial<Values>;
  return { values, faults: [...faults, ...faultsBetween(values, given), ...faultsOfGroups(given)], warnings };
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

function faultsBetween(values: Partial<Values>, given: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  if (values.NODE_ENV === 'production' && !given.has('EXTERNAL_SHIPPING_BASE_URL')) {
    faults.push('EXTERNAL_SHIPPING_BASE_URL must be given where NODE_ENV is production');
  }
  const { PORT: port, MANAGEMENT_PORT: managementPort = 0 } = values;
  if (managementPort !== 0 && managementPort === port) faults.push('MANAGEMENT_PORT must differ from PORT');
  const hasApiKey = given.has('EXTERNAL_SHIPPING_API_KEY') || given.has('EXTERNAL_SHIPPING_API_KEY_FILE');
  const keyHeader = hasApiKey ? values.EXTERNAL_SHIPPING_API_KEY_HEADER?.toLowerCase() : undefined;
  const sentOn = {
    FORWARD_HEADERS: values.FORWARD_HEADERS ?? [],
    FORWARD_CLAIMS: values.FORWARD_CLAIMS?.map(({ header }) => header) ?? [],
  };
  for (const [name, headers] of Object.entries(sentOn)) {
    const hasKey = headers.some((header) => header.toLowerCase() === keyHeader);
    if (hasKey) faults.push(`${name} must not name the header of the API key`);
  }
  const { EXTERNAL_SHIPPING_CLIENT_CERT_FILE: cert, EXTERNAL_SHIPPING_CLIENT_KEY_FILE: key } = values;
  if (cert !== undefined && key !== undefined && !succeeds(() => createSecureContext({ cert, key }))) {
    faults.push('EXTERNAL_SHIPPING_CLIENT_KEY_FILE must be the key of EXTERNAL_SHIPPING_CLIENT_CERT_FILE');
  }
  return faults;
}

function faultsOfGroups(given: ReadonlySet<string>): string[] {
  const twice = VARIABLES.filter((name) => given.has(name) && given.has(`${name}_FILE`));
  const namesOf = ({ names }: Group): Variable[] => VARIABLES.filter((name) => names.test(name) && given.has(name));
  const [used, ...others] = CREDENTIALS.filter((group) => namesOf(group).length > 0);
  const incomplete = [...(used ? [used] : []), ...OTHERS].flatMap((group) => {
    const names = namesOf(group);
    const missing = group.required.filter((name) => !given.has(name) && !given.has(`${name}_FILE`));
    return names.length === 0 ? [] : missing.map((name) => `${name} must be given where ${names.join(', ')} is`);
  });
  return [
    ...twice.map((name) => `${name}_FILE must not be given where ${name} is`),
    ...others.flatMap(namesOf).map((name) => `${name} must not be given: one credential only`),
    ...incomplete,
  ];
}
