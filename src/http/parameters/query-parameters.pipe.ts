import {
  createParamDecorator,
  Inject,
  Injectable,
  type ArgumentMetadata,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { nearestName } from '../../common/text';
import { SETTINGS, type Settings } from '../../config/settings';
import { MAX_FAULTS, PlainMessageException } from '../problems/problem';
import { InvalidParametersException } from '../problems/problem-definitions';
import { optionsOf, type ParameterOptions } from './parameter-options';

/** Injects the query parameters, validated, as an instance of the class of the argument; names ignore case. */
export const QueryParameters = (): ParameterDecorator => fromQuery(ParametersPipe);

/** Injects the path parameters likewise; query parameters are unknown then. Document them by `@ApiParam`. */
export const PathParameters = (): ParameterDecorator => fromPath(ParametersPipe);

/** What is bound of a request. */
export interface ParameterSource {
  readonly query: string;
  /** Bound instead of query parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly strict: boolean;
  readonly reply: FastifyReply;
}

export const IGNORED_PARAMETERS_HEADER = 'Shipping-Ignored-Parameters';
export const MAX_IGNORED_LISTED = 10;
const LISTABLE_NAME = /^[\x20-\x7e]{1,64}$/;

interface KnownParameter extends ParameterOptions {
  readonly name: string;
}

const MAX_PARAMETERS = 100;
const MAX_NAME_SHOWN = 64;
const CONTROL_CHARACTER = /\p{Cc}/u;
/** Without the look-behind, a long run of blanks takes quadratic time. */
const OUTER_BLANKS = /^[ \t]+|(?<![ \t])[ \t]+$/g;
const MALFORMED = 'must be percent-encoded UTF-8';

/** Binds parameters, for `@QueryParameters()` and `@PathParameters()`. */
@Injectable()
export class ParametersPipe implements PipeTransform<ParameterSource, Promise<object>> {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws {PlainMessageException | InvalidParametersException} for invalid parameters */
  async transform({ query, path, strict, reply }: ParameterSource, { metatype }: ArgumentMetadata): Promise<object> {
    const type = metatype as Type<object>;
    const parameters = parametersOf(type);
    const binding = new Binding(this.settings);
    const pairs = pairsOf(query);
    if (pairs.length > MAX_PARAMETERS) {
      binding.faults.set('query string', `must have at most ${MAX_PARAMETERS} parameters`);
    }
    const read = pairs.slice(0, MAX_PARAMETERS);
    const ignored = binding.bindQuery(read, path === undefined ? parameters : new Map(), strict);
    if (ignored !== '') reply.header(IGNORED_PARAMETERS_HEADER, ignored);
    for (const [name, text] of Object.entries(path ?? {})) {
      const parameter = parameters.get(name.toLowerCase());
      if (parameter !== undefined) binding.set(parameter, text);
    }
    const bound = plainToInstance(type, binding.values);
    for (const error of await validate(bound, { forbidUnknownValues: false })) {
      binding.fail(error.property, messageOf(error));
    }
    binding.refuseFaults(parameters);
    return bound;
  }
}

class Binding {
  /** A faulty one is `null`: rules about required parameters must see it. */
  readonly values: Record<string, string | null> = {};
  readonly faults = new Map<string, string>();
  private readonly seen = new Set<KnownParameter>();

  constructor(private readonly settings: Settings) {}

  /** @returns the list of ignored parameters */
  bindQuery(pairs: readonly string[], known: ReadonlyMap<string, KnownParameter>, strict: boolean): string {
    const ignored: string[] = [];
    for (const pair of pairs) {
      const { name, value } = decodePair(pair);
      const parameter = name === undefined ? undefined : known.get(name.toLowerCase());
      if (parameter !== undefined) this.accept(parameter, value);
      else if (name === undefined || value === undefined) this.faults.set('query string', MALFORMED);
      else if (strict) this.refuseUnknown(name, known);
      else ignored.push(name);
    }
    return listOf(ignored);
  }

  set({ name, rule }: KnownParameter, text: string): void {
    this.values[name] = text;
    const fault = CONTROL_CHARACTER.test(text) ? 'must not contain control characters' : rule?.(text, this.settings);
    if (fault !== undefined) this.fail(name, fault);
  }

  fail(name: string, message: string): void {
    this.values[name] = null;
    if (!this.faults.has(name)) this.faults.set(name, message);
  }

  refuseFaults(parameters: ReadonlyMap<string, KnownParameter>): void {
    if (this.faults.size === 0) return;
    for (const { name, plainMessage } of parameters.values()) {
      if (plainMessage !== undefined && this.faults.has(name)) throw new PlainMessageException(plainMessage);
    }
    throw new InvalidParametersException([...this.faults].map(([parameter, message]) => ({ parameter, message })));
  }

  private accept(parameter: KnownParameter, value: string | undefined): void {
    const { name, keepBlank = false } = parameter;
    const text = value?.replace(OUTER_BLANKS, '');
    if (this.seen.has(parameter)) this.fail(name, 'is given more than once');
    else if (text === undefined) this.fail(name, MALFORMED);
    else if (text !== '' || keepBlank) this.set(parameter, text);
    this.seen.add(parameter);
  }

  private refuseUnknown(name: string, known: ReadonlyMap<string, KnownParameter>): void {
    // The response shows no more.
    if (this.faults.size >= MAX_FAULTS) return;
    const shown = [...name].slice(0, MAX_NAME_SHOWN).join('');
    const names = [...known.values()].map((parameter) => parameter.name);
    const nearest = nearestName(shown, names);
    const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    this.faults.set(shown, `is not a parameter of this operation${suggestion}`);
  }
}

/** A structured field (RFC 9651): a list of strings. */
function listOf(names: readonly string[]): string {
  const listed = [...new Set(names)].filter((name) => LISTABLE_NAME.test(name)).slice(0, MAX_IGNORED_LISTED);
  return listed.map((name) => `"${name.replace(/["\\]/g, '\\$&')}"`).join(', ');
}

const ofClass = new Map<Type, ReadonlyMap<string, KnownParameter>>();

function parametersOf(type: Type): ReadonlyMap<string, KnownParameter> {
  let parameters = ofClass.get(type);
  if (parameters === undefined) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    parameters = new Map(
      rules.map(({ propertyName: name }) => {
        return [name.toLowerCase(), { name, ...optionsOf(type.prototype as object, name) }];
      }),
    );
    ofClass.set(type, parameters);
  }
  return parameters;
}

/** Default messages begin with the name, which the response adds itself. */
function messageOf({ property, constraints = {} }: ValidationError): string {
  const [message = 'is not valid'] = Object.values(constraints);
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

const fromQuery = createParamDecorator(sourceOf, [documentQuery]);

const fromPath = createParamDecorator((data: unknown, execution: ExecutionContext) => {
  const { params } = execution.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  return { ...sourceOf(data, execution), path: params };
});

function sourceOf(_: unknown, execution: ExecutionContext): ParameterSource {
  const http = execution.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  return { query: queryStringOf(request), strict: request.strict, reply: http.getResponse<FastifyReply>() };
}

/** Documents the parameters as Nest does for `@Query()`. */
function documentQuery(controller: object, method: string | symbol | undefined, index: number): void {
  if (method === undefined) return;
  const types = Reflect.getMetadata('design:paramtypes', controller, method) as Type[];
  const descriptor = Object.getOwnPropertyDescriptor(controller, method) ?? {};
  ApiQuery({ type: types[index] })(controller, method, descriptor);
}

/** A decoded `name=value`; `undefined` stands for malformed percent-encoding. */
interface RawParameter {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** The query string as it was sent, without the `?`. */
export function queryStringOf({ originalUrl }: FastifyRequest): string {
  const mark = originalUrl.indexOf('?');
  return mark === -1 ? '' : originalUrl.slice(mark + 1);
}

/** The `name=value` pairs as they were sent, in order, with repetitions. */
export function pairsOf(query: string): string[] {
  return query.split('&').filter((pair) => pair !== '');
}

/** Decodes by the rules of HTML forms: `+` is a space. */
export function decodePair(pair: string): RawParameter {
  const equals = pair.indexOf('=');
  if (equals === -1) return { name: decode(pair), value: '' };
  return { name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  const encoded = text.replaceAll('+', ' ');
  return isDecodable(encoded) ? decodeURIComponent(encoded) : undefined;
}

/** An exception for each malformed name would cost a client nothing and the service 5 µs. */
function isDecodable(text: string): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text)) return false;
  const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
  return runs.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')));
}
