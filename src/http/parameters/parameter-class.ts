import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, DECORATORS } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { Allow, getMetadataStorage, ValidationTypes } from 'class-validator';
import type { Settings } from '../../config/settings';
import { comparableName } from '../request-target';
import type { ParameterTexts } from '../requests/request-record';

/** Options of a parameter that no decorator of class-validator or class-transformer can express. */
export interface ParameterOptions {
  /** A blank value is converted like any other; by default it counts as absent (D3). */
  readonly keepBlank?: boolean;
  /**
   * The plain text that is the response to any invalid value of the parameter, instead of problem details in JSON (D4).
   */
  readonly plainMessage?: string;
  /**
   * The values that have an effect, ignoring case. Any other that is not blank is accepted, and the parameter is then
   * named in `Shipping-Ignored-Parameters`; it is 400 for `Prefer: handling=strict` (D8).
   */
  readonly effective?: readonly string[];
  /**
   * A rule that depends on settings; returns the message for an invalid text. A validator of class-validator has no
   * access to settings: there is one for the whole process, in which several applications may run.
   */
  readonly rule?: (text: string, settings: Settings) => string | undefined;
  /**
   * Names of parameters, this one perhaps among them: a request that has none of them is refused. No rule of
   * class-validator can say so, because `@IsOptional()` beside it would switch it off.
   */
  readonly atLeastOneOf?: readonly string[];
  /** Makes the value of a text in which `ParametersPipe` has found no error; by default, the text is the value. */
  readonly convert?: (text: string) => unknown;
}

const OPTIONS = Symbol('parameter options');

/**
 * Declares a parameter with options. Several of these decorators on one property are merged. A parameter without
 * options needs only a decorator of class-validator.
 *
 * The options are stored as the `context` of a rule of class-validator, because mapped types (`PickType`, `PartialType`
 * …) copy these rules to the class that they make, but would lose metadata of our own (D83).
 */
export function Parameter(options: ParameterOptions): PropertyDecorator {
  const { convert = (text) => text } = options;
  const transform = ({ value }: { value: unknown }): unknown => {
    if (Array.isArray(value)) return value.flatMap((text: string) => convert(text));
    return typeof value === 'string' ? convert(value) : value;
  };
  return applyDecorators(Allow({ context: { [OPTIONS]: options } }), Transform(transform));
}

const plain = new WeakSet<object>();

/**
 * Decorates a class whose texts are converted by the options of its parameters alone, and whose rules are synchronous
 * and about no nested object and no element of a list. Without this statement, a team's decorators of any kind may be
 * on a class, so that class-transformer makes its instances and class-validator checks them: they take 13 and 8 µs of a
 * request on Node 26. It says nothing about subclasses and mapped types, to which teams add decorators.
 */
export function ConvertedByOptions(): ClassDecorator {
  return (type) => void plain.add(type);
}

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Check = (object: object, value: unknown) => unknown;

/** The parameters and rules of a class, read from its metadata. */
export class ParameterClass {
  /** The parameters of the class, by their comparable names. */
  readonly parameters: ReadonlyMap<string, KnownParameter>;
  private readonly isPlain: boolean;
  private readonly defaults: Readonly<Record<string, unknown>>;

  constructor(private readonly type: Type<object>) {
    this.isPlain = plain.has(type);
    this.defaults = new type() as Readonly<Record<string, unknown>>;
    const storage = getMetadataStorage();
    const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, '', false, false));
    const parameters = Object.entries(rules).map(([name, ofName]) =>
      parameterOf(name, this.typeOf(name), ofName, this.isPlain),
    );
    this.parameters = new Map(parameters.map((parameter) => [comparableName(parameter.name), parameter]));
  }

  /** Makes an instance of the class from the texts of parameters. */
  instanceOf(texts: ParameterTexts): object {
    if (!this.isPlain) return plainToInstance(this.type, texts);
    const instance = new this.type() as Record<string, unknown>;
    for (const { name, convert } of this.parameters.values()) {
      const text = texts[name];
      if (text !== undefined) instance[name] = typeof text === 'string' && convert !== undefined ? convert(text) : text;
    }
    return instance;
  }

  /**
   * Whether an object keeps all rules of a class that is decorated for it, found out quickly. class-validator collects
   * and groups the rules anew for each object, and makes an error object for each property. The errors for a client
   * still come from class-validator: where this returns `false`, the object has to be validated by it.
   */
  isCertainlyValid(object: object): boolean {
    if (!this.isPlain) return false;
    for (const parameter of this.parameters.values()) if (!keepsRules(parameter, object)) return false;
    return true;
  }

  /**
   * Completes what the decorators of `@nestjs/swagger` say of the parameters: those without such a decorator get their
   * type and whether they are required from the class, and enumerations a schema, because Nest loses them where a class
   * is documented as a query.
   */
  document(): void {
    const prototype = this.type.prototype as object;
    for (const { name, type, isRequired } of this.parameters.values()) {
      const given = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, name) as object | undefined;
      const required = isRequired && this.defaults[name] === undefined;
      const documented = given ?? { required, type: documentedType(type) };
      const schema = 'enum' in documented && !('enumName' in documented) ? { enum: documented.enum } : undefined;
      const repeated = type === Array ? { style: 'form', explode: true } : {};
      ApiProperty({ ...documented, ...repeated, schema } as object)(prototype, name);
    }
  }

  /** The type of a property. Compilers emit it where it is declared, and not where it follows from a default value. */
  private typeOf(name: string): unknown {
    const declared: unknown = Reflect.getMetadata('design:type', this.type.prototype as object, name);
    if (declared !== undefined && declared !== Object) return declared;
    return (Object(this.defaults[name]) as object).constructor;
  }
}

/** Types of rules about a value itself, which an absent one breaks. */
const CHECKING: readonly string[] = [ValidationTypes.CUSTOM_VALIDATION, ValidationTypes.IS_DEFINED];

export type KnownParameter = ReturnType<typeof parameterOf>;

/** @param type that of the property of the class; `Array` where a client may give the name repeatedly (D83) */
function parameterOf(name: string, type: unknown, rules: readonly Rule[], isPlain: boolean) {
  const options = rules.flatMap(
    ({ context }) => (context as { [OPTIONS]?: ParameterOptions } | undefined)?.[OPTIONS] ?? [],
  );
  const conditions = rules.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  return {
    ...(Object.assign({}, ...options) as ParameterOptions),
    name,
    type,
    rules: options.flatMap(({ rule }) => rule ?? []),
    /** Groups of names of parameters, of each of which a client has to give one. */
    alternatives: options.flatMap(({ atLeastOneOf }) => (atLeastOneOf === undefined ? [] : [atLeastOneOf])),
    /** Whether a value has to be there, unless the class has a default. */
    isRequired: conditions.length === 0 && rules.some(({ type }) => CHECKING.includes(type)),
    /** Where one of these is false, no check of the parameter applies: `@IsOptional()`, `@ValidateIf()`. */
    conditions: conditions.map(({ constraints }) => constraints[0] as Check),
    checks: isPlain ? rules.flatMap(checksOf) : [],
  };
}

/** The checks of a rule, called as class-validator calls them. A condition and `@Allow()` have none. */
function checksOf({ constraintCls, constraints, propertyName: property }: Rule): Check[] {
  const validators = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  return validators.map(({ instance }) => (object, value) => {
    return instance.validate(value, { targetName: object.constructor.name, property, object, value, constraints });
  });
}

function keepsRules({ name, conditions, checks }: KnownParameter, object: object): boolean {
  const value = (object as Readonly<Record<string, unknown>>)[name];
  for (const applies of conditions) if (!applies(object, value)) return true;
  for (const check of checks) if (check(object, value) !== true) return false;
  return true;
}

function documentedType(type: unknown): unknown {
  if (type === Array) return [String];
  return [Number, Boolean, Date].find((known) => known === type) ?? String;
}
