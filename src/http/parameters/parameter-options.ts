import { Allow, type getMetadataStorage } from 'class-validator';
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

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const OPTIONS = Symbol('parameter options');

/**
 * Sets options of a parameter; a rule of class-validator alone declares one, too. Several decorators add to each other.
 *
 * The options are the `context` of a rule of class-validator, because mapped types (`PickType`, `PartialType` …) copy those
 * rules to their class, but no metadata of ours (D83).
 */
export function Parameter(options: ParameterOptions): PropertyDecorator {
  return Allow({ context: { [OPTIONS]: options } });
}

/** The options that a rule of a class carries, where it was set by {@link Parameter}. */
export function optionsOf({ context }: Metadata): ParameterOptions | undefined {
  return (context as { [OPTIONS]?: ParameterOptions } | undefined)?.[OPTIONS];
}
