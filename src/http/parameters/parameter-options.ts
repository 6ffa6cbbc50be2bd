import { applyDecorators } from '@nestjs/common';
import { Allow } from 'class-validator';
import type { Settings } from '../../config/settings';

/** Options of a parameter besides its decorators of class-validator and class-transformer. */
export interface ParameterOptions {
  /** A blank value is converted instead of counting as absent. */
  readonly keepBlank?: boolean;
  /** The response to any invalid value, as plain text. */
  readonly plainMessage?: string;
  /** A rule that needs settings; returns the message for an invalid text. */
  readonly rule?: (text: string, settings: Settings) => string | undefined;
}

const OPTIONS = Symbol('parameter options');

/** Sets options of a parameter; a rule of class-validator alone declares one, too. */
export function Parameter(options: ParameterOptions): PropertyDecorator {
  return applyDecorators(Allow(), Reflect.metadata(OPTIONS, options));
}

/** The options of a parameter. */
export function optionsOf(prototype: object, property: string): ParameterOptions {
  return (Reflect.getMetadata(OPTIONS, prototype, property) as ParameterOptions | undefined) ?? {};
}
