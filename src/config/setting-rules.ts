import { createSecureContext } from 'node:tls';
import { succeeds } from '../common/errors';
import { VARIABLES, type Environment } from './environment';
import type { Variable } from './settings-table';

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

/** Checks the rules between variables, and returns what is wrong, without any value. */
export function faultsBetween({ values, given }: Environment): string[] {
  const faults: string[] = [];
  const { NODE_ENV: nodeEnv, PORT: port, MANAGEMENT_PORT: managementPort } = values;
  if (nodeEnv === 'production' && !given.has('EXTERNAL_SHIPPING_BASE_URL')) {
    faults.push('EXTERNAL_SHIPPING_BASE_URL must be given where NODE_ENV is production');
  }
  if (managementPort !== undefined && managementPort !== 0 && managementPort === port) {
    faults.push('MANAGEMENT_PORT must differ from PORT');
  }
  const hasApiKey = given.has('EXTERNAL_SHIPPING_API_KEY') || given.has('EXTERNAL_SHIPPING_API_KEY_FILE');
  const keyHeader = hasApiKey ? values.EXTERNAL_SHIPPING_API_KEY_HEADER?.toLowerCase() : undefined;
  for (const name of ['FORWARD_HEADERS', 'FORWARD_CLAIMS'] as const) {
    const headers = values[name]?.map((item) => (typeof item === 'string' ? item : item.header).toLowerCase()) ?? [];
    if (headers.some((header) => header === keyHeader)) faults.push(`${name} must not name the header of the API key`);
  }
  const { EXTERNAL_SHIPPING_CLIENT_CERT_FILE: cert, EXTERNAL_SHIPPING_CLIENT_KEY_FILE: key } = values;
  if (cert !== undefined && key !== undefined && !succeeds(() => createSecureContext({ cert, key }))) {
    faults.push('EXTERNAL_SHIPPING_CLIENT_KEY_FILE must be the key of EXTERNAL_SHIPPING_CLIENT_CERT_FILE');
  }
  return [...faults, ...faultsOfGroups(given)];
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
