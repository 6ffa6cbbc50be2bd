import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes, type ValidatorConstraintInterface } from 'class-validator';
import { UsageError } from '../../common/errors';

/** Gives the instance of an injectable class, such as a constraint with dependencies. */
export type Resolver = <T>(type: Type<T>) => T;

/** Whether the rules of one property surely hold for an object. */
export type CompiledRules = (object: object) => boolean;

type Condition = (object: object, value: unknown) => boolean;
type RuleMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/**
 * Compiles the rules of each property that has one, in the order of declaration, base classes first: reading the metadata
 * of class-validator for each request takes three times as long. Where rules do not surely hold, class-validator decides,
 * and gives the message.
 *
 * @throws {UsageError} names class and property, where a rule does not apply to texts or its constraint cannot be made
 */
export function compileRules(type: Type, resolve: Resolver): ReadonlyMap<string, CompiledRules> {
  const isBase = (base: unknown, derived: unknown): boolean => (derived as Type).prototype instanceof (base as Type);
  const ordered = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .toSorted((a, b) => Number(isBase(b.target, a.target)) - Number(isBase(a.target, b.target)));
  const properties = new Map<string, RuleMetadata[]>();
  for (const metadata of ordered) {
    properties.set(metadata.propertyName, [...(properties.get(metadata.propertyName) ?? []), metadata]);
  }
  return new Map(
    [...properties].map(([property, metadatas]) => {
      const compiled = explained(type, property, () => compileProperty(type, property, metadatas, resolve));
      return [property, compiled] as const;
    }),
  );
}

function compileProperty(
  { name: targetName }: Type,
  property: string,
  metadatas: readonly RuleMetadata[],
  resolve: Resolver,
): CompiledRules {
  const ofKind = (kind: string): RuleMetadata[] => metadatas.filter(({ type }) => type === kind);
  if (ofKind(ValidationTypes.NESTED_VALIDATION).length > 0) {
    throw new UsageError('a parameter is a text, without nested rules');
  }
  const conditions = ofKind(ValidationTypes.CONDITIONAL_VALIDATION).map(({ constraints }) => constraints[0] as Condition); // prettier-ignore
  const rules = ofKind(ValidationTypes.CUSTOM_VALIDATION).map(({ constraintCls, constraints, each, validateIf }) => ({
    constraint: resolve(constraintCls as Type<ValidatorConstraintInterface>),
    constraints,
    isPlain: !each && validateIf === undefined,
  }));
  return (object) => {
    const value = (object as Record<string, unknown>)[property];
    if (!conditions.every((condition) => condition(object, value))) return true;
    return rules.every((rule) => {
      if (!rule.isPlain) return false;
      const outcome = rule.constraint.validate(value, { value, object, property, constraints: rule.constraints, targetName }); // prettier-ignore
      if (typeof outcome === 'boolean') return outcome;
      rule.isPlain = false;
      // class-validator asks again.
      outcome.catch(() => undefined);
      return false;
    });
  };
}

/** Names class and property in what is thrown. */
export function explained<Value>({ name }: Type, property: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${name}.${property}: ${error.message}`) : error;
  }
}
