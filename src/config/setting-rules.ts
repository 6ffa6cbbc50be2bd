import { createSecureContext } from 'node:tls';
import { VARIABLES, type Environment } from './environment';
import type { Variable } from './settings-table';

const OAUTH = 'EXTERNAL_SHIPPING_OAUTH';
const CLIENT = 'EXTERNAL_SHIPPING_CLIENT';

/** Variables that belong together: where one of the names is given, those that are required are, or their files. */
interface Group {
  readonly names: RegExp;
  readonly required: readonly Variable[];
}

/** One kind of credential each, of which one may be given. */
const CREDENTIALS: readonly Group[] = [
  { names: /^EXTERNAL_SHIPPING_TOKEN/, required: ['EXTERNAL_SHIPPING_TOKEN'] },
  { names: /^EXTERNAL_SHIPPING_API_KEY/, required: ['EXTERNAL_SHIPPING_API_KEY'] },
  {
    names: /^EXTERNAL_SHIPPING_OAUTH/,
    required: [`${OAUTH}_TOKEN_URL`, `${OAUTH}_CLIENT_ID`, `${OAUTH}_CLIENT_SECRET`],
  },
];

const OTHERS: readonly Group[] = [
  { names: /^EXTERNAL_SHIPPING_CLIENT/, required: [`${CLIENT}_CERT_FILE`, `${CLIENT}_KEY_FILE`] },
  // With some of them missing, the operations would be open, or accept tokens for other services.
  { names: /^AUTH_(?!API_KEYS)/, required: ['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'] },
];

/** Checks the rules between variables, and returns what is wrong, without any value. */
export function faultsBetween(environment: Environment): string[] {
  const { values, given } = environment;
  const hasApiKey = given.has('EXTERNAL_SHIPPING_API_KEY') || given.has('EXTERNAL_SHIPPING_API_KEY_FILE');
  const keyHeader = hasApiKey ? values.EXTERNAL_SHIPPING_API_KEY_HEADER?.toLowerCase() : undefined;
  const { NODE_ENV: nodeEnv, PORT: port, MANAGEMENT_PORT: managementPort } = values;
  const rules: readonly (readonly [name: Variable, isBroken: boolean, rule: string])[] = [
    [
      'EXTERNAL_SHIPPING_BASE_URL',
      nodeEnv === 'production' && !given.has('EXTERNAL_SHIPPING_BASE_URL'),
      'must be given where NODE_ENV is production',
    ],
    [
      'MANAGEMENT_PORT',
      managementPort !== undefined && managementPort !== 0 && managementPort === port,
      'must differ from PORT',
    ],
    [
      'FORWARD_HEADERS',
      values.FORWARD_HEADERS?.some((name) => name.toLowerCase() === keyHeader) === true,
      'must not name the header of the API key',
    ],
    ['EXTERNAL_SHIPPING_CLIENT_KEY_FILE', !isPair(values), 'must be the key of EXTERNAL_SHIPPING_CLIENT_CERT_FILE'],
  ];
  const broken = rules.filter(([, isBroken]) => isBroken).map(([name, , rule]) => `${name} ${rule}`);
  return [...broken, ...faultsOfGroups(given)];
}

function faultsOfGroups(given: ReadonlySet<string>): string[] {
  const twice = VARIABLES.filter((name) => given.has(name) && given.has(`${name}_FILE`));
  const namesOf = ({ names }: Group): Variable[] => VARIABLES.filter((name) => names.test(name) && given.has(name));
  const [used, ...others] = CREDENTIALS.filter((group) => namesOf(group).length > 0);
  const incomplete = [used, ...OTHERS].flatMap((group) => {
    const names = group === undefined ? [] : namesOf(group);
    const missing = group?.required.filter((name) => !given.has(name) && !given.has(`${name}_FILE`)) ?? [];
    return names.length === 0 ? [] : missing.map((name) => `${name} must be given where ${names.join(', ')} is`);
  });
  return [
    ...twice.map((name) => `${name}_FILE must not be given where ${name} is`),
    ...others.flatMap(namesOf).map((name) => `${name} must not be given: one credential only`),
    ...incomplete,
  ];
}

function isPair(values: Environment['values']): boolean {
  const { EXTERNAL_SHIPPING_CLIENT_CERT_FILE: cert, EXTERNAL_SHIPPING_CLIENT_KEY_FILE: key } = values;
  try {
    if (cert !== undefined && key !== undefined) createSecureContext({ cert, key });
    return true;
  } catch {
    return false;
  }
}
