import type { Type } from '@nestjs/common';
import 'reflect-metadata';

/** Options of a query parameter, besides its class-validator rules and its class-transformer conversion. */
export interface ParameterOptions {
  /** A blank value is converted instead of counting as absent. */
  readonly keepBlank?: boolean;
  /** The message of the response to any invalid value: plain text, unless the client accepts problems. */
  readonly plainMessage?: string;
  /** The value of an absent parameter, instead of that of the class. */
  readonly default?: unknown;
}

/** Options, or the injectable class of options that depend on settings. */
export type GivenOptions = ParameterOptions | Type<ParameterOptions>;

const PARAMETERS = Symbol('parameters');

/** Declares a property as a parameter of the same name. Properties without it are never bound. */
export function Parameter(options: GivenOptions = {}): PropertyDecorator {
  return (target, property) => {
    const own = new Map(parametersOf(target));
    Reflect.defineMetadata(PARAMETERS, own.set(String(property), options), target);
  };
}

/** The parameters that a class declares or inherits, in the order of their declaration. */
export function parametersOf(prototype: object): ReadonlyMap<string, GivenOptions> {
  return (Reflect.getMetadata(PARAMETERS, prototype) as ReadonlyMap<string, GivenOptions> | undefined) ?? new Map();
}
