import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { Settings } from '../../../config/settings';
import { MAX_IDENTIFIER_LENGTH } from '../../model/parameter-bounds';

/** The message for a text that is no shipping identifier. Dot segments never are: identifiers become part of a path. */
export function identifierFault(text: string, { idPattern }: Settings): string | undefined {
  const isShort = text.length <= MAX_IDENTIFIER_LENGTH;
  const isValid = isShort && !/^\.{1,2}$/.test(text) && idPattern.test(text);
  return isValid ? undefined : 'is not a valid shipping identifier';
}

/** Counts Unicode code points, not UTF-16 code units. */
export function MaxCodePoints(max: number): PropertyDecorator {
  return ValidateBy({
    name: 'maxCodePoints',
    validator: {
      validate: (value) => typeof value === 'string' && (value.length <= max || [...value].length <= max),
      defaultMessage: () => `must have at most ${max} characters`,
    },
  });
}

/** The date of this parameter is not before that of another. */
export function NotBefore(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'notBefore',
    validator: {
      validate: (value, details) => {
        const earliest = valueOf(details, other);
        return !(value instanceof Date && earliest instanceof Date) || value >= earliest;
      },
      defaultMessage: () => `must not be before ${other}`,
    },
  });
}

/** At least one of the named parameters is present; reported for the parameter with this rule. */
export function OneOf(...names: readonly string[]): PropertyDecorator {
  return ValidateBy({
    name: 'oneOf',
    validator: {
      validate: (_, details) => names.some((name) => valueOf(details, name) !== undefined),
      defaultMessage: () => `is missing; give at least one of ${names.join(', ')}`,
    },
  });
}

function valueOf(details: ValidationArguments | undefined, name: string): unknown {
  return (details?.object as Record<string, unknown> | undefined)?.[name];
}
