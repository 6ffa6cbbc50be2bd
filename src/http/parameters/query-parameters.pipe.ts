import { createParamDecorator, Inject, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { validate, type ValidationError } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { equalsIgnoringCase, nearestName, trimmed } from '../../common/text';
import { SETTINGS, type Settings } from '../../config/settings';
import { InvalidParametersException, MAX_FAULTS, PlainMessageException } from '../problems/problem-definitions';
import { comparableName, decodePair, pairsOf } from '../request-target';
import type { ParameterTexts } from '../requests/request-record';
import { hasBody } from '../server/bounds';
import { type KnownParameter, ParameterClass } from './parameter-class';

/** Injects the query parameters, validated, as an instance of the class of the argument; names ignore case. */
export const QueryParameters = (): ParameterDecorator => boundArgument(false);

/**
 * Injects the path parameters in the same way. The operation then has no query parameters: each that a client sends is
 * ignored, or 400 for `Prefer: handling=strict` (D2). `@nestjs/swagger` does not see this decorator, so
 * the route has to document its path parameters by `@ApiParam`.
 */
export const PathParameters = (): ParameterDecorator => boundArgument(true);

/** What {@link ParametersPipe} makes an argument from, with the request that the reply belongs to. */
export interface ParameterSource {
  /** The parameters of the class whose instance the argument becomes. */
  readonly known: ParameterClass;
  /** Whether the argument gets the path parameters, and no query parameters. */
  readonly isInPath: boolean;
  readonly reply: FastifyReply;
}

const IGNORED_PARAMETERS_HEADER = 'Shipping-Ignored-Parameters';
export const MAX_IGNORED_LISTED = 10;
const LISTABLE_NAME = /^[\x20-\x7e]{1,64}$/;

/** The token of {@link EffectiveValues}. */
export const EFFECTIVE_VALUES = Symbol('effective values');
/**
 * The values that have an effect, for parameters where the external system has fewer of them than the decorator of the
 * parameter names (D8).
 */
export type EffectiveValues = Readonly<Record<string, readonly string[]>>;

const MAX_PARAMETERS = 100;
const MAX_NAME_SHOWN = 64;
const CONTROL_CHARACTER = /\p{Cc}/u;
const MALFORMED = 'must be percent-encoded UTF-8';

/**
 * Makes the argument that has `@QueryParameters()` or `@PathParameters()`: converts the parameters of the request to an
 * instance of the class of the argument, and validates it.
 */
@Injectable()
export class ParametersPipe implements PipeTransform<ParameterSource, object> {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(EFFECTIVE_VALUES) private readonly effectiveValues: EffectiveValues = {},
  ) {}

  /**
   * @returns a promise only where class-validator has to be asked
   * @throws {PlainMessageException | InvalidParametersException} for invalid parameters
   */
  transform({ known, isInPath, reply }: ParameterSource): object | Promise<object> {
    const { request } = reply;
    const binding = new Binding(this.settings, this.effectiveValues, request.strict);
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    if (isGet && hasBody(request.raw)) binding.ignore('body', 'has no effect on a GET');
    const ignored = binding.bindQuery(pairsOf(request), isInPath ? NONE : known.parameters);
    if (ignored !== '') reply.header(IGNORED_PARAMETERS_HEADER, ignored);
    for (const [name, text] of isInPath ? Object.entries(request.params as Record<string, string>) : []) {
      const parameter = known.parameters.get(comparableName(name));
      if (parameter !== undefined) binding.set(parameter, text);
    }
    for (const parameter of known.parameters.values()) binding.requireAlternatives(parameter);
    request.record.parameters = binding.values;
    const bound = known.instanceOf(binding.values);
    if (known.isCertainlyValid(bound)) return binding.checked(bound, known, []);
    return validate(bound, { forbidUnknownValues: false }).then((errors) => binding.checked(bound, known, errors));
  }
}

const NONE: ReadonlyMap<string, KnownParameter> = new Map();

/**
 * The message of a validation error. Of several broken rules, one such as `isInt` explains more than a bound that no
 * text keeps; the rules of the first decorators come last. Default messages of class-validator begin with the name of
 * the property. It is cut off, because the response names the parameter beside the message.
 */
function messageOf({ property, constraints = {} }: ValidationError): string {
  const broken = Object.entries(constraints).reverse();
  const [, message = 'is not valid'] = broken.find(([rule]) => rule.startsWith('is')) ?? broken[0] ?? [];
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

class Binding {
  /** The texts of given parameters, by name; an invalid one is absent. */
  readonly values: Record<string, ParameterTexts[string]> = {};
  private readonly faults = new Map<string, string>();
  private readonly seen: KnownParameter[] = [];
  private readonly ignored: string[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly effectiveValues: EffectiveValues,
    private readonly strict: boolean,
  ) {}

  /** Names what has no effect; a strict client gets it as a fault (D2). */
  ignore(name: string, message: string): void {
    if (this.strict) this.faults.set(name, message);
    else this.ignored.push(name);
  }

  /**
   * @returns the names of parameters without effect, as the value of the response header
   * {@link IGNORED_PARAMETERS_HEADER}
   */
  bindQuery(pairs: string[], known: ReadonlyMap<string, KnownParameter>): string {
    if (pairs.length > MAX_PARAMETERS) {
      this.faults.set('query string', `must have at most ${MAX_PARAMETERS} parameters`);
      pairs.length = MAX_PARAMETERS;
    }
    for (const pair of pairs) {
      const { name, value } = decodePair(pair);
      const parameter = name === undefined ? undefined : known.get(comparableName(name));
      if (parameter !== undefined) this.accept(parameter, value);
      else if (name === undefined || value === undefined) this.faults.set('query string', MALFORMED);
      else if (this.strict) this.reportUnknown(name, known);
      else this.ignored.push(name);
    }
    return listOf(this.ignored);
  }

  set(parameter: KnownParameter, text: string): void {
    const { name, rules } = parameter;
    this.values[name] = parameter.type === Array ? [...(this.values[name] ?? []), text] : text;
    const effective = parameter.effective && (this.effectiveValues[name] ?? parameter.effective);
    if (effective !== undefined && text !== '' && !effective.some((value) => equalsIgnoringCase(value, text))) {
      this.ignore(name, effective.length === 0 ? 'has no effect here' : `must be one of ${effective.join(', ')}`);
    }
    if (CONTROL_CHARACTER.test(text)) this.fail(name, 'must not contain control characters');
    for (const rule of rules) {
      const fault = rule(text, this.settings);
      if (fault !== undefined) this.fail(name, fault);
    }
  }

  requireAlternatives({ name, alternatives }: KnownParameter): void {
    for (const names of alternatives) {
      const isMissing = names.every((each) => this.values[each] === undefined && !this.faults.has(each));
      if (isMissing) this.fail(name, `is missing; give at least one of ${names.join(', ')}`);
    }
  }

  /** Nothing is made of an invalid text: a `@Transform()` of an application may throw for one, which would be a 500. */
  fail(name: string, message: string): void {
    Reflect.deleteProperty(this.values, name);
    if (!this.faults.has(name)) this.faults.set(name, message);
  }

  /**
   * Returns the object where neither binding nor class-validator has found a fault.
   *
   * @throws {PlainMessageException | InvalidParametersException} for what they have found
   */
  checked(bound: object, { parameters }: ParameterClass, errors: readonly ValidationError[]): object {
    for (const error of errors) this.fail(error.property, messageOf(error));
    if (this.faults.size === 0) return bound;
    for (const { name, plainMessage } of parameters.values()) {
      if (plainMessage !== undefined && this.faults.has(name)) throw new PlainMessageException(plainMessage);
    }
    throw new InvalidParametersException([...this.faults].map(([parameter, message]) => ({ parameter, message })));
  }

  private accept(parameter: KnownParameter, value: string | undefined): void {
    const { name, keepBlank = false } = parameter;
    const text = value === undefined ? undefined : trimmed(value);
    if (this.seen.includes(parameter) && parameter.type !== Array) this.fail(name, 'is given more than once');
    else if (text === undefined) this.fail(name, MALFORMED);
    else if (text !== '' || keepBlank) this.set(parameter, text);
    this.seen.push(parameter);
  }

  private reportUnknown(name: string, known: ReadonlyMap<string, KnownParameter>): void {
    // A response lists at most so many faults: searching the nearest name for further ones would take time for nothing.
    if (this.faults.size >= MAX_FAULTS) return;
    const shown = [...name].slice(0, MAX_NAME_SHOWN).join('');
    const names = [...known.values()].map((parameter) => parameter.name);
    const nearest = nearestName(shown, names);
    const others = names.length === 0 ? 'it has none in the query' : `it has ${names.join(', ')}`;
    const hint = nearest === undefined ? others : `did you mean ${nearest}?`;
    this.faults.set(shown, `is not a parameter of this operation; ${hint}`);
  }
}

/** Writes names as a structured field (RFC 9651), a list of strings. */
function listOf(names: readonly string[]): string {
  if (names.length === 0) return '';
  const listed = [...new Set(names)].filter((name) => LISTABLE_NAME.test(name)).slice(0, MAX_IGNORED_LISTED);
  return listed.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(', ');
}

/** Without this error, the route would ignore every parameter and return all records (D83). */
const NO_PARAMETERS =
  'the type of its argument has to be a class, at run time, that declares parameters by rules of class-validator. ' +
  'Import the class without `type`, not in a circle, and compile with `emitDecoratorMetadata`; an interface is none';

/**
 * Injects an argument that {@link ParametersPipe} makes, and documents query parameters as Nest does for `@Query()`.
 * Global pipes run before that pipe: they get the {@link ParameterSource} instead of the parameters. The class of the
 * argument is hidden from them, because a `ValidationPipe` with `validateCustomDecorators` would validate the source as
 * an instance of this class (D83).
 *
 * @throws Error where the argument has no class that declares parameters
 */
function boundArgument(isInPath: boolean): ParameterDecorator {
  return (controller, method = '', index) => {
    const types = (Reflect.getMetadata('design:paramtypes', controller, method) ?? []) as Type<object>[];
    const type = types[index];
    const known = type && new ParameterClass(type);
    if (known === undefined || known.parameters.size === 0) {
      const decorator = isInPath ? 'PathParameters' : 'QueryParameters';
      throw new Error(`@${decorator}() of ${controller.constructor.name}.${String(method)}: ${NO_PARAMETERS}`);
    }
    if (!isInPath) {
      known.document();
      ApiQuery({ type })(controller, method, Object.getOwnPropertyDescriptor(controller, method) ?? {});
    }
    Reflect.defineMetadata('design:paramtypes', types.with(index, Object), controller, method);
    // Not by `switchToHttp`, which makes an object with three functions each time.
    const source = createParamDecorator((_: unknown, execution): ParameterSource => ({
      known,
      isInPath,
      reply: execution.getArgByIndex(1),
    }));
    source(ParametersPipe)(controller, method, index);
  };
}
