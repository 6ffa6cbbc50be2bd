import type { Type } from '@nestjs/common';
import { asciiLowerCase } from '../../common/ascii';
import { PlainMessageException, type ParameterFault } from '../problem';
import { InvalidParametersException } from './invalid-parameters.exception';
import { compileProperty, type CompiledProperty, type ConstraintResolver } from './compiled-rules';
import { IGNORED_PARAMETERS_HEADER, listIgnored } from './ignored-parameters';
import { NearestNames } from './nearest-name';
import { parametersOf, type GivenOptions, type ParameterOptions } from './parameter.decorator';
import { MAX_PARAMETERS, type RawParameter, type RequestQuery } from '../query-string';

interface BoundParameter extends CompiledProperty {
  readonly name: string;
  readonly index: number;
  readonly options: ParameterOptions;
}

const CONTROL_CHARACTER = /\p{Cc}/u;
const MAX_FAULTS = 20;
const MAX_NAME_SHOWN = 64;

/** Binds raw parameters to instances of one class; made once for each class. */
export class ParameterBinder<T extends object> {
  private readonly parameters: readonly BoundParameter[];
  private readonly byName: ReadonlyMap<string, BoundParameter>;
  private readonly defaults: readonly BoundParameter[];
  private readonly nearest: NearestNames;

  constructor(
    private readonly type: Type<T>,
    resolveConstraint: ConstraintResolver,
  ) {
    this.parameters = [...parametersOf(type.prototype as object)].map(([name, options], index) => ({
      name,
      index,
      options: resolveOptions(options, resolveConstraint),
      ...compileProperty(type, name, resolveConstraint),
    }));
    this.byName = new Map(this.parameters.map((parameter) => [asciiLowerCase(parameter.name), parameter]));
    this.defaults = this.parameters.filter(({ options }) => options.default !== undefined);
    this.nearest = new NearestNames(this.parameters.map(({ name }) => name));
  }

  /**
   * Names match ignoring case, values are trimmed, blank values count as absent. Ignored parameters are named in a header
   * of the reply, also where others are invalid.
   *
   * @throws {PlainMessageException} where a parameter with a plain message is invalid, in the order of declaration
   * @throws {InvalidParametersException} with all other invalid parameters
   */
  bindQuery({ raw, strict, reply }: RequestQuery): T {
    if (raw.exceedsLimit) {
      throw new InvalidParametersException([
        { parameter: 'query string', message: `must have at most ${MAX_PARAMETERS} parameters` },
      ]);
    }
    const binding = new Binding(this.withDefaults(new this.type()));
    const ignored: string[] = [];
    for (const given of raw.parameters) {
      const parameter = this.byName.get(asciiLowerCase(given.name));
      if (parameter !== undefined) binding.accept(parameter, given);
      else if (given.malformed && (given.name === '' || !strict)) binding.refuse(() => malformed(given.name));
      else if (strict) binding.refuse(() => this.unknown(given));
      else ignored.push(given.name);
    }
    if (ignored.length > 0) this.nameIgnored(ignored, reply);
    return this.finish(binding);
  }

  /** Binds path parameters unchanged: nothing is trimmed or left out. */
  bindPath(path: Readonly<Record<string, string>>): T {
    const binding = new Binding(this.withDefaults(new this.type()));
    for (const [name, value] of Object.entries(path)) {
      const parameter = this.byName.get(name.toLowerCase());
      if (parameter !== undefined) binding.set(parameter, value);
    }
    return this.finish(binding);
  }

  private withDefaults(object: T): T {
    for (const { name, options } of this.defaults) (object as Record<string, unknown>)[name] = options.default;
    return object;
  }

  private finish(binding: Binding<T>): T {
    for (const parameter of this.parameters) binding.check(parameter);
    if (!binding.failed) return binding.object;
    for (const { name, index, options } of this.parameters) {
      if (options.plainMessage !== undefined && binding.isFaulty(index)) {
        throw new PlainMessageException(name, options.plainMessage);
      }
    }
    throw new InvalidParametersException(binding.faults.slice(0, MAX_FAULTS));
  }

  private nameIgnored(names: readonly string[], reply: RequestQuery['reply']): void {
    const list = listIgnored(names, (name) => this.nearest.of(name));
    if (list !== undefined) reply.header(IGNORED_PARAMETERS_HEADER, list);
  }

  private unknown({ name }: RawParameter): ParameterFault {
    if (name === '') return fault(name, 'must name each parameter');
    const nearest = this.nearest.of(shown(name));
    const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return fault(name, `is not a parameter of this operation${suggestion}`);
  }
}

/** The state of binding one request. */
class Binding<T extends object> {
  readonly faults: ParameterFault[] = [];
  /** By the index of the parameter. */
  private readonly seen: boolean[] = [];
  private readonly faulty: boolean[] = [];

  constructor(readonly object: T) {}

  get failed(): boolean {
    return this.faults.length > 0;
  }

  isFaulty(index: number): boolean {
    return this.faulty[index] === true;
  }

  /** Refuses an unknown parameter, once, up to the number of reported faults. */
  refuse(describe: () => ParameterFault): void {
    if (this.faults.length >= MAX_FAULTS) return;
    const fault = describe();
    if (!this.faults.some(({ parameter }) => parameter === fault.parameter)) this.faults.push(fault);
  }

  accept(parameter: BoundParameter, raw: RawParameter): void {
    if (this.seen[parameter.index] === true) {
      this.fail(parameter, 'is given more than once');
      return;
    }
    this.seen[parameter.index] = true;
    const text = withoutBlanks(raw.value);
    if (raw.malformed) this.fail(parameter, malformed(parameter.name).message);
    else if (text !== '' || parameter.options.keepBlank === true) this.set(parameter, text);
  }

  set(parameter: BoundParameter, text: string): void {
    if (CONTROL_CHARACTER.test(text)) this.fail(parameter, 'must not contain control characters');
    else (this.object as Record<string, unknown>)[parameter.name] = parameter.convert(text);
  }

  check(parameter: BoundParameter): void {
    if (this.isFaulty(parameter.index)) return;
    const value = (this.object as Record<string, unknown>)[parameter.name];
    if (value === undefined && parameter.optional) return;
    for (const rule of parameter.rules) {
      const message = rule.check(value, this.object);
      if (message !== undefined) {
        this.fail(parameter, message);
        return;
      }
    }
  }

  private fail(parameter: BoundParameter, message: string): void {
    if (this.isFaulty(parameter.index)) return;
    this.faulty[parameter.index] = true;
    // The parameter is present: rules about which parameters are required must see it.
    (this.object as Record<string, unknown>)[parameter.name] ??= null;
    this.faults.push({ parameter: parameter.name, message });
  }
}

/** @throws Error where a class of options is no provider */
function resolveOptions(given: GivenOptions, resolve: ConstraintResolver): ParameterOptions {
  if (typeof given !== 'function') return given;
  const options = resolve(given) as ParameterOptions | undefined;
  if (options === undefined) throw new Error(`${given.name} is not a provider of any module`);
  return options;
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
