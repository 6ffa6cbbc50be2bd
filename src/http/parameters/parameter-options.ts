import { applyDecorators } from '@nestjs/common';
import { Allow } from 'class-validator';
import type { Settings } from '../../config/settings';

/** Options of a parameter, besides its class-validator rules and its class-transformer conversion. */
export interface ParameterOptions {
  /** A blank value is converted instead of counting as absent. */
  readonly keepBlank?: boolean;
  /** The whole response to any invalid value, in plain text. */
  readonly plainMessage?: string;
  /** A rule that depends on settings; returns the message for an invalid text. */
  readonly rule?: (text: string, settings: Settings) => string | undefined;
}

const OPTIONS = Symbol('parameter options');

/** Gives a parameter options. Properties with a rule of class-validator are parameters without it. */
export function Parameter(options: ParameterOptions): PropertyDecorator {
  return applyDecorators(Allow(), (target: object, property: string | symbol) => {
    Reflect.defineMetadata(OPTIONS, options, target, property);
  });
}

/** The options of a property; none by default. */
export function optionsOf(prototype: object, property: string): ParameterOptions {
  return (Reflect.getMetadata(OPTIONS, prototype, property) as ParameterOptions | undefined) ?? {};
}
