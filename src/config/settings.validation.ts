import { createSecureContext } from 'node:tls';
import { succeeds } from '../common/errors';
import { nearestName } from '../common/text';
import { TABLE, type Values, type Variable } from './settings.schema';

const VARIABLES = Object.keys(TABLE) as Variable[];
/** Unknown names of the first group are warnings; those of the second protect the service and are faults. */
const PREFIX = /^(?:(EXTERNAL_SHIPPING|CACHE|SANDBOX)|(AUTH|RATE_LIMIT|MANAGEMENT|FORWARD))_/;
const OAUTH = 'EXTERNAL_SHIPPING_OAUTH';

/** Where a variable of the names is given, the required ones must be, or their files. */
interface Group {
  readonly names: RegExp;
  readonly required: readonly Variable[];
}

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
  // Otherwise the operations would be open, or accept tokens for other services.
  { names: /^AUTH_(?!API_KEYS)/, required: ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'] },
];

type Environment = Record<'faults' | 'warnings', string[]> & { values: Partial<Values> };

/** Reads all variables. Faults and warnings contain no value; `values` lacks invalid ones. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const given = new Set(VARIABLES.filter((name) => isGiven(env[name])));
  const read: Record<string, unknown> = {};
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of VARIABLES) {
    const { schema, allowed } = TABLE[name];
    const { success, data } = schema.safeParse(given.has(name) ? env[name]?.trim() : undefined);
    if (!success) faults.push(`${name} must be ${allowed}`);
    read[name] = data;
    // A secret from its file.
    read[name.replace(/_FILE$/, '')] ??= data;
  }
  for (const [name, value] of Object.entries(env)) {
    const prefix = PREFIX.exec(name);
    if (prefix === null || name in TABLE || !value?.trim() || isServiceLink(name, env)) continue;
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

/** Whether Kubernetes adds the variable for a service, together with its host. */
function isServiceLink(name: string, env: NodeJS.ProcessEnv): boolean {
  return [...name.matchAll(/_(?:SERVICE_|PORT(?:_|$))/g)].some(
    ({ index }) => env[`${name.slice(0, index)}_SERVICE_HOST`] !== undefined,
  );
}

function faultsBetween(values: Partial<Values>, given: ReadonlySet<string>): string[] {
  const { PORT: port, MANAGEMENT_PORT: managementPort = 0 } = values;
  const { EXTERNAL_SHIPPING_CLIENT_CERT_FILE: cert, EXTERNAL_SHIPPING_CLIENT_KEY_FILE: key } = values;
  const { EXTERNAL_SHIPPING_API_KEY: apiKey, EXTERNAL_SHIPPING_API_KEY_HEADER: keyHeader } = values;
  const claimed = values.FORWARD_CLAIMS?.map(({ header }) => header) ?? [];
  const forwarded = [...(values.FORWARD_HEADERS ?? []), ...claimed];
  const faults = {
    'EXTERNAL_SHIPPING_BASE_URL must be given where NODE_ENV is production':
      values.NODE_ENV === 'production' && !given.has('EXTERNAL_SHIPPING_BASE_URL'),
    'MANAGEMENT_PORT must differ from PORT': managementPort !== 0 && managementPort === port,
    'FORWARD_HEADERS and FORWARD_CLAIMS must not name the header of the API key':
      apiKey !== undefined && forwarded.some((header) => header.toLowerCase() === keyHeader?.toLowerCase()),
    'EXTERNAL_SHIPPING_CLIENT_KEY_FILE must be the key of EXTERNAL_SHIPPING_CLIENT_CERT_FILE': !succeeds(() =>
      createSecureContext({ cert, key }),
    ),
  };
  return Object.entries(faults).flatMap(([fault, isFound]) => (isFound ? [fault] : []));
}

function faultsOfGroups(given: ReadonlySet<string>): string[] {
  const twice = VARIABLES.filter((name) => given.has(name) && given.has(`${name}_FILE`));
  const namesOf = ({ names }: Group): Variable[] => VARIABLES.filter((name) => names.test(name) && given.has(name));
  const [credential, ...others] = CREDENTIALS.filter((group) => namesOf(group).length > 0);
  const incomplete = [...(credential ? [credential] : []), ...OTHERS].flatMap((group) => {
    const names = namesOf(group).join(', ');
    const missing = group.required.filter((name) => !given.has(name) && !given.has(`${name}_FILE`));
    return names === '' ? [] : missing.map((name) => `${name} must be given where ${names} is`);
  });
  return [
    ...twice.map((name) => `${name}_FILE must not be given where ${name} is`),
    ...others.flatMap(namesOf).map((name) => `${name} must not be given: one credential only`),
    ...incomplete,
  ];
}
