/** The forms of the name of a query, such as `GetShippingByCarrier`. */
export interface QueryNames {
  /** `GetShippingByCarrier`: route, and prefix of the classes. */
  readonly pascal: string;
  /** `getShippingByCarrier`: method of the controller, operation id. */
  readonly camel: string;
  /** `get-shipping-by-carrier`: folder and files. */
  readonly kebab: string;
  /** `by-carrier`: path below `/shippings` of the external system, and name in metrics, spans and the cache. */
  readonly external: string;
  /** `BY_CARRIER`: constant of the upstream operation. */
  readonly constant: string;
  /** `byCarrierRequest`: function that builds the upstream request. */
  readonly request: string;
  /** `Get shipping by carrier`: summary in the documentation. */
  readonly words: string;
}

/** The query cannot be generated; nothing was changed. */
export class CannotGenerateError extends Error {
  override readonly name = 'CannotGenerateError';
}

const VERBS = ['Get', 'Find', 'List', 'Search'];
const ROLES = ['Query', 'Handler', 'Params', 'Controller', 'Module', 'Gateway', 'Spec'];
const MAX_LENGTH = 60;
/** Each word starts with its only capital letter, so that every form leads back to the same name. */
const PASCAL_CASE = /^(?:[A-Z][a-z0-9]+)+$/;

/** @throws {CannotGenerateError} where the name is invalid */
export function namesOf(name: string): QueryNames {
  if (!PASCAL_CASE.test(name)) refuse(name, 'is not in PascalCase, such as GetShippingByCarrier');
  if (name.length > MAX_LENGTH) refuse(name, `has more than ${MAX_LENGTH} characters`);
  const parts = name.match(/[A-Z][a-z0-9]+/g) ?? [];
  const [verb = '', ...object] = parts;
  if (!VERBS.includes(verb) || object.length === 0) refuse(name, `must start with ${VERBS.join(', ')} and an object`);
  const role = object.at(-1) ?? '';
  if (ROLES.includes(role)) refuse(name, `ends with ${role}, which the generator adds itself`);
  const isShipping = /^Shippings?$/.test(object[0] ?? '') && object.length > 1;
  const external = isShipping ? object.slice(1) : object;
  return {
    pascal: name,
    camel: camel(parts),
    kebab: kebab(parts),
    external: kebab(external),
    constant: external.join('_').toUpperCase(),
    request: `${camel(external)}Request`,
    words: [verb, ...object.map((word) => word.toLowerCase())].join(' '),
  };
}

function refuse(name: string, fault: string): never {
  throw new CannotGenerateError(`${JSON.stringify(name)} ${fault}.`);
}

function kebab(parts: readonly string[]): string {
  return parts.join('-').toLowerCase();
}

function camel([first = '', ...rest]: readonly string[]): string {
  return [first.toLowerCase(), ...rest].join('');
}
