import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { useContainer, validate, type ValidationError } from 'class-validator';
import { asciiLowerCase } from '../../common/text';
import {
  InvalidParametersException,
  MAX_FAULTS,
  PlainMessageException,
  type ParameterFault,
} from '../problems/problem';
import { MAX_PARAMETERS, type RawParameter, type RawQuery } from './query-string';
import { compileRules, explained, type CompiledRules, type Resolver } from './compiled-rules';
import { IGNORED_PARAMETERS_HEADER, ignoredHint, listIgnored, NearestNames, type Ignored } from './ignored-parameters';
import { optionsOf, type ParameterOptions } from './parameter.decorator';

/** A query string, whether unknown parameters are refused, and the reply that names ignored ones. */
export interface RequestQuery {
  /** Another operation that has a parameter. */
  readonly operationWith: (name: string) => string | undefined;
  readonly raw: RawQuery;
  readonly strict: boolean;
  readonly reply?: { header(name: string, value: string): unknown };
}

interface BoundParameter {
  readonly name: string;
  readonly options: ParameterOptions;
  /** Whether its property is an array: it may be given more than once. */
  readonly list: boolean;
}

const CONTROL_CHARACTER = /\p{Cc}/u;
const MAX_NAME_SHOWN = 64;

/** Binds raw parameters to instances of one class; made once for each class. */
export class ParameterBinder<T extends object> {
  private readonly parameters: readonly BoundParameter[];
  private readonly byName: ReadonlyMap<string, BoundParameter>;
  private readonly defaults: readonly BoundParameter[];
  private readonly nearest: NearestNames;
  private readonly constraints: { get: Resolver };
  private readonly rules: readonly CompiledRules[];

  /** @throws {UsageError} names class and property, where it has a rule that does not apply to texts or cannot be made */
  constructor(
    private readonly type: Type<T>,
    resolve: Resolver,
  ) {
    this.constraints = { get: resolve };
    const prototype = type.prototype as object;
    const rules = compileRules(type, resolve);
    this.rules = [...rules.values()];
    this.parameters = [...rules.keys()].map((name) => {
      const given = optionsOf(prototype, name) ?? {};
      const options = typeof given === 'function' ? explained(type, name, () => resolve(given)) : given;
      return { name, options, list: Reflect.getMetadata('design:type', prototype, name) === Array };
    });
    this.byName = new Map(this.parameters.map((parameter) => [asciiLowerCase(parameter.name), parameter]));
    this.defaults = this.parameters.filter(({ options }) => options.default !== undefined);
    this.nearest = new NearestNames(this.names);
  }

  get names(): readonly string[] {
    return this.parameters.map(({ name }) => name);
  }

  /** Whether it has a parameter, ignoring case. */
  has(name: string): boolean {
    return this.byName.has(asciiLowerCase(name));
  }

  /**
   * Names match ignoring case, values are trimmed, blank values count as absent. Ignored parameters are named in a header
   * of the reply, also where others are invalid.
   *
   * @throws {PlainMessageException} with all invalid parameters, where one of them has a plain message
   * @throws {InvalidParametersException} with all invalid parameters, where none has
   */
  bindQuery({ raw, strict, reply, operationWith }: RequestQuery): T | Promise<T> {
    if (raw.exceedsLimit) {
      throw new InvalidParametersException([
        { parameter: 'query string', message: `must have at most ${MAX_PARAMETERS} parameters` },
      ]);
    }
    const binding = new Binding();
    for (const given of raw.parameters) {
      const parameter = this.byName.get(asciiLowerCase(given.name));
      if (parameter !== undefined) binding.accept(parameter, given);
      else if (given.malformed && (given.name === '' || !strict)) binding.refuse(() => malformed(given.name));
      else if (strict) binding.refuse(() => this.unknown(given));
      else binding.ignored.push({ name: given.name, isValue: false });
    }
    if (binding.ignored.length > 0) {
      const list = listIgnored(binding.ignored, (name) => ignoredHint(operationWith(name), this.nearest.of(name)));
      if (list !== undefined) reply?.header(IGNORED_PARAMETERS_HEADER, list);
    }
    return this.finish(binding);
  }

  /** Binds path parameters unchanged: nothing is trimmed or left out. */
  bindPath(path: Readonly<Record<string, string>>): T | Promise<T> {
    const binding = new Binding();
    for (const [name, value] of Object.entries(path)) {
      const parameter = this.byName.get(name.toLowerCase());
      if (parameter !== undefined) binding.set(parameter, value);
    }
    return this.finish(binding);
  }

  /** Converts and validates what is bound. */
  private finish(binding: Binding): T | Promise<T> {
    const { values, faults } = binding;
    // Exposed names are ignored: a parameter has the name of its property.
    const object = plainToInstance(this.type, values, { ignoreDecorators: true });
    const fields = object as Record<string, unknown>;
    for (const { name, options } of this.defaults) if (values[name] === undefined) fields[name] = options.default;
    // A faulty parameter is present: rules about which parameters are required must see it.
    for (const name of binding.faulty) fields[name] ??= null;
    return faults.length === 0 && this.rules.every((rule) => rule(object)) ? object : this.validate(object, binding);
  }

  private async validate(object: T, binding: Binding): Promise<T> {
    const { faults } = binding;
    // The container of class-validator is global; a process may have several applications.
    useContainer(this.constraints);
    for (const error of await validate(object, { stopAtFirstError: true, forbidUnknownValues: false })) {
      binding.fail(error.property, messageOf(error));
    }
    if (faults.length === 0) return object;
    const plain = this.parameters.flatMap(({ name, options: { plainMessage } }) =>
      plainMessage !== undefined && binding.faulty.has(name) ? [{ parameter: name, message: plainMessage }] : [],
    );
    const others = faults.filter((other) => plain.every(({ parameter }) => parameter !== other.parameter));
    const errors = [...plain, ...others].slice(0, MAX_FAULTS);
    throw plain.length > 0 ? new PlainMessageException(errors) : new InvalidParametersException(errors);
  }

  private unknown({ name }: RawParameter): ParameterFault {
    if (name === '') return fault(name, 'must name each parameter');
    const nearest = this.nearest.of(shown(name));
    const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return fault(name, `is not a parameter of this operation${suggestion}`);
  }
}

/** The values and faults of one request. */
class Binding {
  readonly values: Record<string, string | string[]> = {};
  readonly faults: ParameterFault[] = [];
  readonly ignored: Ignored[] = [];
  /** The names of the declared parameters with a fault. */
  readonly faulty = new Set<string>();
  private readonly seen = new Set<BoundParameter>();

  /** Refuses an unknown parameter, once, up to the number of reported faults. */
  refuse(describe: () => ParameterFault): void {
    if (this.faults.length >= MAX_FAULTS) return;
    const fault = describe();
    if (!this.faults.some(({ parameter }) => parameter === fault.parameter)) this.faults.push(fault);
  }

  accept(parameter: BoundParameter, raw: RawParameter): void {
    if (this.seen.has(parameter) && !parameter.list) {
      this.fail(parameter.name, 'is given more than once');
      return;
    }
    this.seen.add(parameter);
    const text = withoutBlanks(raw.value);
    if (raw.malformed) this.fail(parameter.name, malformed(parameter.name).message);
    else if (text !== '' || parameter.options.keepBlank === true) this.set(parameter, text);
  }

  set({ name, list, options }: BoundParameter, text: string): void {
    if (options.recognises?.(text) === false) this.ignored.push({ name, isValue: true });
    if (CONTROL_CHARACTER.test(text)) this.fail(name, 'must not contain control characters');
    else this.values[name] = list && this.values[name] !== undefined ? [this.values[name], text].flat() : text;
  }

  fail(name: string, message: string): void {
    if (this.faulty.has(name)) return;
    this.faulty.add(name);
    this.faults.push({ parameter: name, message });
  }
}

/** The first message of a property. Default messages begin with its name, which the response adds itself. */
function messageOf({ property, constraints = {} }: ValidationError): string {
  const message = Object.values(constraints).find((text) => text !== '') ?? 'is not valid';
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

/** Trims spaces and tabs; a regular expression would take quadratic time over long runs of them. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function malformed(name: string): ParameterFault {
  return fault(name, 'must be percent-encoded UTF-8');
}

/** A fault of a parameter as the client named it. */
function fault(name: string, message: string): ParameterFault {
  return { parameter: name === '' ? 'query string' : shown(name), message };
}

function shown(name: string): string {
  return [...name].slice(0, MAX_NAME_SHOWN).join('');
}
