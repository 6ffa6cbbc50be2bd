import 'reflect-metadata';

/** How a query parameter is bound, besides the class-validator rules and the class-transformer conversion it carries. */
export interface ParameterOptions {
  /** A blank value reaches the conversion instead of counting as absent. */
  readonly keepBlank?: boolean;
  /** Whatever is wrong with the parameter, the answer is this plain text alone. */
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
