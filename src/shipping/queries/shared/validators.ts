import { Inject, Injectable } from '@nestjs/common';
import {
  ValidateBy,
  ValidatorConstraint,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { SETTINGS, type Settings } from '../../../config/settings';
import { MAX_IDENTIFIER_LENGTH } from '../../model/parameter-bounds';

/**
 * A shipping identifier: it has at most 256 characters and matches the configured pattern. Dot segments are always invalid, because identifiers become
 * part of a path.
 */
@Injectable()
@ValidatorConstraint({ name: 'identifier' })
export class IdentifierRule implements ValidatorConstraintInterface {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  validate(value: unknown, { constraints }: ValidationArguments): boolean {
    const [options] = (constraints as [{ optional: boolean }?] | undefined) ?? [];
    if (value === undefined) return options?.optional === true;
    if (typeof value !== 'string' || /^\.{1,2}$/.test(value)) return false;
    return hasAtMost(MAX_IDENTIFIER_LENGTH, value) && this.settings.idPattern.test(value);
  }

  defaultMessage({ value }: ValidationArguments): string {
    return value === undefined || value === '' ? 'is missing' : 'is not a valid shipping identifier';
  }
}

/** Counts Unicode code points, not UTF-16 code units. */
export function MaxCodePoints(max: number): PropertyDecorator {
  return ValidateBy({
    name: 'maxCodePoints',
    constraints: [max],
    validator: {
      validate: (value) => typeof value === 'string' && hasAtMost(max, value),
      defaultMessage: () => `must have at most ${max} characters`,
    },
  });
}

/** The date of this parameter is not before that of another. */
export function NotBefore(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'notBefore',
    constraints: [other],
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
export function RequiresOneOf(names: readonly string[]): PropertyDecorator {
  return ValidateBy({
    name: 'requiresOneOf',
    validator: {
      validate: (_, details) => details !== undefined && names.some((name) => valueOf(details, name) !== undefined),
      defaultMessage: () => `is missing; give at least one of ${names.join(', ')}`,
    },
  });
}

function hasAtMost(max: number, text: string): boolean {
  return text.length <= max || [...text].length <= max;
}

function valueOf(details: ValidationArguments | undefined, name: string): unknown {
  return (details?.object as Record<string, unknown> | undefined)?.[name];
}
