import type { Type } from '@nestjs/common';
import { TransformationType, type TransformFnParams } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import {
  getMetadataStorage,
  IS_OPTIONAL,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { ValidationUtils } from 'class-validator/cjs/validation/ValidationUtils';

/** One compiled class-validator rule of one property. */
export interface CompiledRule {
  /** @returns the message of the rule where `value` is invalid */
  check(value: unknown, object: object): string | undefined;
}

/** The compiled class-validator and class-transformer decorators of one property. */
export interface CompiledProperty {
  /** `IsOptional`: no rule applies to an absent value. */
  readonly optional: boolean;
  readonly rules: readonly CompiledRule[];
  convert(text: string): unknown;
}

/** Resolves constraint classes with dependencies; `undefined` for classes without. */
export type ConstraintResolver = (type: Type) => ValidatorConstraintInterface | undefined;

/**
 * Compiles the decorators of one property to plain calls, once, so that requests read no metadata.
 *
 * @throws Error for unsupported decorators: nested, conditional, grouped or asynchronous rules
 */
export function compileProperty(type: Type, property: string, resolve: ConstraintResolver): CompiledProperty {
  const metadatas = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
    .filter((metadata) => metadata.propertyName === property);
  const optional = metadatas.some(({ name }) => name === IS_OPTIONAL);
  const rules = metadatas
    .filter(({ name }) => name !== IS_OPTIONAL)
    .map((metadata) => compileRule(type, metadata, resolve));
  return { optional, rules, convert: compileConversion(type, property) };
}

type RuleMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

function compileRule(type: Type, metadata: RuleMetadata, resolve: ConstraintResolver): CompiledRule {
  const property = metadata.propertyName;
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls);
  if (constraint === undefined || constraint.async || metadata.each || isGrouped(metadata)) {
    throw new Error(`${type.name}.${property}: only plain, synchronous validation rules apply to parameters`);
  }
  const instance = resolve(metadata.constraintCls as Type) ?? constraint.instance;
  const constraints = (metadata.constraints as unknown[] | undefined) ?? [];
  return {
    check(value, object) {
      const details: ValidationArguments = { value, object, property, constraints, targetName: type.name };
      if (instance.validate(value, details) === true) return undefined;
      const given = metadata.message as RuleMetadata['message'] | undefined;
      const message = given ?? instance.defaultMessage?.(details) ?? 'is not valid';
      return withoutName(ValidationUtils.replaceMessageSpecialTokens(message, details), property);
    },
  };
}

/** Default messages begin with the name of the property, which the response adds itself. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

/** At run time class-validator leaves `groups` out where a rule has options, against its types. */
function isGrouped({ groups }: { groups?: readonly string[] }): boolean {
  return groups !== undefined && groups.length > 0;
}

function compileConversion(type: Type, property: string): (text: string) => unknown {
  const conversions = defaultMetadataStorage.findTransformMetadatas(type, property, TransformationType.PLAIN_TO_CLASS);
  if (conversions.length === 0) return (text) => text;
  return (text) =>
    conversions.reduce<unknown>((value, { transformFn }) => {
      const details: TransformFnParams = {
        value,
        key: property,
        obj: undefined,
        type: TransformationType.PLAIN_TO_CLASS,
        options: {},
      };
      return transformFn(details);
    }, text);
}
