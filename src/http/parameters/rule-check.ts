import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes, type ValidationArguments } from 'class-validator';

type Storage = ReturnType<typeof getMetadataStorage>;
type Rule = ReturnType<Storage['getTargetValidationMetadatas']>[number];
type Constraint = ReturnType<Storage['getTargetValidatorConstraints']>[number]['instance'];

/** The rules of one property, as class-validator applies them. */
interface PropertyRules {
  readonly name: string;
  /** Where one of these is false, no other rule of the property applies: `@IsOptional()`, `@ValidateIf()`. */
  readonly conditions: readonly ((object: object, value: unknown) => boolean)[];
  readonly constraints: readonly { readonly rule: Rule; readonly constraint: Constraint }[];
}

/** Types of rules that have a constraint: all decorators of class-validator but those below. */
const CONSTRAINT_TYPES: readonly string[] = [ValidationTypes.CUSTOM_VALIDATION, ValidationTypes.IS_DEFINED];
/** Types of rules that this check applies itself. A class with any other is left to the library. */
const APPLIED_TYPES: readonly string[] = [
  ...CONSTRAINT_TYPES,
  ValidationTypes.CONDITIONAL_VALIDATION,
  // `@Allow()`, which has no condition.
  ValidationTypes.WHITELIST,
];

/**
 * Finds out quickly whether an object keeps all rules of its class. class-validator collects and groups the rules anew for
 * each object, and makes an error for each property, which takes a tenth of a request on Node 26. It remains the judge: it
 * has to be asked wherever this check is not certain, and only its errors reach a client.
 */
export class RuleCheck {
  private readonly properties: readonly PropertyRules[];
  /** Rules of nested objects and of elements, and those that return a promise, are left to the library. */
  private needsLibrary = false;

  constructor(private readonly type: Type) {
    const storage = getMetadataStorage();
    const rules = storage.getTargetValidationMetadatas(type, '', false, false);
    this.needsLibrary = rules.some((rule) => rule.each || !APPLIED_TYPES.includes(rule.type));
    const grouped = Object.entries(storage.groupByPropertyName(rules));
    this.properties = grouped.map(([name, ofProperty]) => propertyRules(name, ofProperty, storage));
  }

  /** @returns `false` where a rule is broken, or where only class-validator can tell */
  holds(object: object): boolean {
    if (this.needsLibrary) return false;
    for (const property of this.properties) {
      if (!this.holdsFor(property, object)) return false;
    }
    return true;
  }

  private holdsFor({ name, conditions, constraints }: PropertyRules, object: object): boolean {
    const value = (object as Readonly<Record<string, unknown>>)[name];
    for (const applies of conditions) {
      if (!applies(object, value)) return true;
    }
    for (const { rule, constraint } of constraints) {
      if (rule.validateIf?.(object, value) === false) continue;
      const details: ValidationArguments = {
        targetName: this.type.name,
        property: name,
        object,
        value,
        constraints: rule.constraints as unknown[],
      };
      const result: unknown = constraint.validate(value, details);
      if (result instanceof Promise) {
        // Its rejection is the library's to report, which calls the rule again.
        result.catch(() => undefined);
        this.needsLibrary = true;
      }
      if (result !== true) return false;
    }
    return true;
  }
}

function propertyRules(name: string, rules: readonly Rule[], storage: Storage): PropertyRules {
  const conditions = rules.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const others = rules.filter(({ type }) => CONSTRAINT_TYPES.includes(type));
  return {
    name,
    conditions: conditions.map(({ constraints }) => constraints[0] as PropertyRules['conditions'][number]),
    constraints: others.flatMap((rule) =>
      storage.getTargetValidatorConstraints(rule.constraintCls).map(({ instance }) => ({ rule, constraint: instance })),
    ),
  };
}
