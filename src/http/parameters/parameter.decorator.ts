import { applyDecorators, type Type } from '@nestjs/common';
import { Allow } from 'class-validator';
import 'reflect-metadata';

/** Options of a parameter, besides its class-validator rules and its class-transformer conversion. */
export interface ParameterOptions {
  /** A blank value is converted instead of counting as absent. */
  readonly keepBlank?: boolean;
  /** The message of the response to any invalid value: plain text, unless the client accepts problems. */
  readonly plainMessage?: string;
  /** Whether a value is used; others are no error, and are named among the ignored parameters. */
  readonly recognises?: (text: string) => boolean;
  /** The value of an absent parameter, instead of that of the class. */
  readonly default?: unknown;
}

const OPTIONS = Symbol('parameter options');

/**
 * Gives a parameter options, or the injectable class of options that depend on settings. Properties with a rule of
 * class-validator are parameters without it.
 */
export function Parameter(options: ParameterOptions | Type<ParameterOptions>): PropertyDecorator {
  return applyDecorators(Allow(), (target: object, property: string | symbol) => {
    Reflect.defineMetadata(OPTIONS, options, target, property);
  });
}

/** The options of a property; `undefined` where it has none. */
export function optionsOf(prototype: object, property: string): ParameterOptions | Type<ParameterOptions> | undefined {
  return Reflect.getMetadata(OPTIONS, prototype, property) as ParameterOptions | Type<ParameterOptions> | undefined;
}
