import { Injectable, type ArgumentMetadata, type OnModuleInit, type PipeTransform, type Type } from '@nestjs/common';
import { PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import { useContainer } from 'class-validator';
import { stringify } from 'fast-querystring';
import { UsageError } from '../../common/errors';
import { lazyQuery, rawQueryOf } from './query-string';
import { ParameterBinder } from './parameter-binder';

/** An argument of a route. */
interface RouteArgument {
  /** `Controller.method` */
  readonly route: string;
  /** The path of its controller, and the first segment of its own. */
  readonly api: string;
  readonly operation: string;
  /** What it is taken from, one of Nest's `RouteParamtypes`. */
  readonly source: number;
  readonly type: Type<object>;
  /** The name of a single parameter. */
  readonly data?: unknown;
  readonly pipes: readonly unknown[];
}

/** What {@link ParametersPipe} binds. */
const SOURCES: readonly number[] = [RouteParamtypes.QUERY, RouteParamtypes.PARAM];

/**
 * The parameter classes of all routes. A class is checked at start. As the first global pipe it binds the arguments of
 * {@link ParametersPipe} before global pipes of teams, such as a `ValidationPipe`, see them: these get what is bound.
 */
@Injectable()
export class RouteParameters implements OnModuleInit, PipeTransform {
  private readonly binders = new Map<unknown, ParameterBinder<object>>();
  /** Classes that also have arguments without {@link ParametersPipe}, which a global pipe cannot tell from the others. */
  private readonly boundOtherwise = new Set<unknown>();
  private readonly operations: Pick<RouteArgument, 'api' | 'operation' | 'type'>[] = [];
  private readonly instances = new Map<Type<unknown>, unknown>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly moduleRef: ModuleRef,
  ) {}

  /** @throws {UsageError} names class and property, or the route, where {@link ParametersPipe} cannot bind an argument */
  onModuleInit(): void {
    // For a `ValidationPipe` that meets rules with dependencies.
    useContainer({ get: (type) => this.resolve(type as Type) as never });
    for (const { route, api, operation, source, type, data, pipes } of routeArguments(this.discovery)) {
      if (!pipes.some((pipe) => pipe === ParametersPipe || pipe instanceof ParametersPipe)) {
        this.boundOtherwise.add(type);
      } else if (SOURCES.includes(source) && data === undefined && type !== Object) {
        this.binderOf(type);
        this.operations.push({ api, operation, type });
      } else {
        throw new UsageError(`${route}: ParametersPipe binds @Query() or @Param() to a class`);
      }
    }
  }

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype } = metadata;
    if (!this.binders.has(metatype) || this.boundOtherwise.has(metatype)) return value;
    // A guard may have replaced `request.query`.
    const isReplaced = type === 'query' && rawQueryOf(value) === undefined && !isInstance(value, metatype);
    return this.bind(isReplaced ? lazyQuery(stringify(value as object)) : value, metadata);
  }

  /** Binds parameters, or gives back what is bound. */
  bind(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (isInstance(value, metatype)) return value;
    const binder = this.binderOf(metatype as Type<object>);
    if (type === 'param') return binder.bindPath(value as Record<string, string>);
    const raw = rawQueryOf(value);
    if (raw === undefined) return value;
    const { reply } = raw;
    const operationWith = (name: string): string | undefined => {
      return this.operationWith(name, this.operations.find((operation) => operation.type === metatype)?.api);
    };
    return binder.bindQuery({ raw, strict: reply?.request.strict === true, reply, operationWith });
  }

  /** The first operation below the path of a controller that has a parameter. */
  operationWith(name: string, api: string | undefined): string | undefined {
    return this.operations.find((one) => one.api === api && this.binderOf(one.type).has(name))?.operation;
  }

  private binderOf(type: Type<object>): ParameterBinder<object> {
    let binder = this.binders.get(type);
    if (binder === undefined) {
      binder = new ParameterBinder(type, (wanted) => this.resolve(wanted));
      if (binder.names.length === 0) {
        throw new UsageError(`${type.name} has no parameters: no property has a decorator of class-validator`);
      }
      this.binders.set(type, binder);
    }
    return binder;
  }

  /** The provider of a class, or an instance of its own where it has no dependencies. */
  resolve<T>(type: Type<T>): T {
    const instance = (this.instances.get(type) as T | undefined) ?? this.provided(type) ?? made(type);
    this.instances.set(type, instance);
    return instance;
  }

  private provided<T>(type: Type<T>): T | undefined {
    try {
      return this.moduleRef.get(type, { strict: false });
    } catch {
      return undefined;
    }
  }
}

/**
 * Binds all query parameters, `@Query(ParametersPipe)`, or path parameters, `@Param(ParametersPipe)`, to the class of the
 * argument: rules of class-validator, conversions of class-transformer. Names match ignoring case, a name given twice is
 * refused, unknown names are reported as ignored, and refused for strict clients.
 */
@Injectable()
export class ParametersPipe implements PipeTransform {
  constructor(private readonly parameters: RouteParameters) {}

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    return this.parameters.bind(value, metadata);
  }
}

function made<T>(type: Type<T>): T {
  if (type.length > 0) throw new UsageError(`${type.name} is not a provider of any module`);
  return new type();
}

function isInstance(value: unknown, type: ArgumentMetadata['metatype']): boolean {
  return type !== undefined && value instanceof type;
}

/** The arguments of all routes, as the decorators of Nest and the compiler describe them. */
function* routeArguments(discovery: DiscoveryService): Generator<RouteArgument> {
  const scanner = new MetadataScanner();
  for (const controller of discovery.getControllers().map(({ metatype }) => metatype as Type<object>)) {
    const prototype = controller.prototype as object;
    for (const method of scanner.getAllMethodNames(prototype)) {
      const types = Reflect.getMetadata('design:paramtypes', prototype, method) as Type<object>[] | undefined;
      const api = pathOf(controller);
      const [operation = ''] = pathOf(prototype[method as never]).split('/');
      const given = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
        string,
        { index: number; data?: unknown; pipes: readonly unknown[] }
      >;
      for (const [key, { index, data, pipes }] of Object.entries(given)) {
        const source = parseInt(key);
        const route = `${controller.name}.${method}`;
        yield { route, api, operation, source, type: types?.[index] ?? Object, data, pipes };
      }
    }
  }
}

/** The path of a controller or a route, by its decorator. */
export function pathOf(decorated: object): string {
  return String(Reflect.getMetadata(PATH_METADATA, decorated));
}
