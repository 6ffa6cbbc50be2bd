/** What is made of the name of a query, such as `GetShippingByCarrier`. */
export interface QueryNames {
  /** `GetShippingByCarrier`: operation, route and stem of the classes. */
  readonly pascal: string;
  /** `getShippingByCarrier`: methods of controller and gateway. */
  readonly camel: string;
  /** `get-shipping-by-carrier`: folder and files. */
  readonly kebab: string;
  /** `by-carrier`: path below `/shippings` of the external system, and name in the metrics. */
  readonly external: string;
  /** `byCarrier`: method of the sandbox. */
  readonly sandbox: string;
  /** `Get shipping by carrier`: the operation in words. */
  readonly words: string;
}

/** Nothing is made, for the reason that the message says. */
export class Refusal extends Error {}

const VERBS = ['Get', 'Find', 'List', 'Search'];
const ROLES = ['Query', 'Handler', 'Params', 'Controller', 'Module', 'Gateway', 'Spec'];
const MAX_LENGTH = 60;
/** Each word starts with its only capital, so that every form of the name leads back to the same one. */
const PASCAL_CASE = /^(?:[A-Z][a-z0-9]+)+$/;

/** @throws {Refusal} where the name is none for a query */
export function namesOf(name: string): QueryNames {
  if (!PASCAL_CASE.test(name)) refuse(name, 'is not in PascalCase, such as GetShippingByCarrier');
  if (name.length > MAX_LENGTH) refuse(name, `has more than ${MAX_LENGTH} characters`);
  const parts = name.match(/[A-Z][a-z0-9]+/g) ?? [];
  const [verb = '', ...object] = parts;
  if (!VERBS.includes(verb) || object.length === 0) refuse(name, `does not say what it reads: ${VERBS.join(', ')} …`);
  const role = object.at(-1) ?? '';
  if (ROLES.includes(role)) refuse(name, `ends with ${role}, which the generator adds itself`);
  const [first = '', ...rest] = object;
  const external = /^Shippings?$/.test(first) && rest.length > 0 ? rest : object;
  return {
    pascal: name,
    camel: camel(parts),
    kebab: kebab(parts),
    external: kebab(external),
    sandbox: camel(external),
    words: [verb, ...object.map((word) => word.toLowerCase())].join(' '),
  };
}

function refuse(name: string, fault: string): never {
  throw new Refusal(`${JSON.stringify(name)} ${fault}.`);
}

function kebab(parts: readonly string[]): string {
  return parts.join('-').toLowerCase();
}

function camel(parts: readonly string[]): string {
  const [first = '', ...rest] = parts;
  return [first.toLowerCase(), ...rest].join('');
}
