import 'reflect-metadata';

/** Options of a query parameter, besides its class-validator rules and its class-transformer conversion. */
export interface ParameterOptions {
  /** A blank value is converted instead of counting as absent. */
  readonly keepBlank?: boolean;
  /** The message of the response to any invalid value: plain text, unless the client accepts problems. */
  readonly plainMessage?: string;
}

const PARAMETERS = Symbol('parameters');

/** Declares a property as a parameter of the same name. Properties without it are never bound. */
export function Parameter(options: ParameterOptions = {}): PropertyDecorator {
  return (target, property) => {
    const own = new Map(parametersOf(target));
    Reflect.defineMetadata(PARAMETERS, own.set(String(property), options), target);
  };
}

/** The parameters that a class declares or inherits, in the order of their declaration. */
export function parametersOf(prototype: object): ReadonlyMap<string, ParameterOptions> {
  return (Reflect.getMetadata(PARAMETERS, prototype) as ReadonlyMap<string, ParameterOptions> | undefined) ?? new Map();
}
