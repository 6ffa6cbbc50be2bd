import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiParam, type ApiParamOptions, ApiQuery } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fieldsOf } from '../../common/model-fields';
import type { RawQuery } from '../query-string';
import type { ParameterBinder } from './parameter-binder';
import type { ParameterBinders } from './parameter-binders';

declare module 'fastify' {
  interface FastifyInstance {
    readonly parameterBinders: ParameterBinders;
  }
}

/** Lets routes use {@link QueryParameters} and {@link PathParameters}. */
export function provideParameters(fastify: FastifyInstance, binders: ParameterBinders): void {
  fastify.decorate('parameterBinders', binders);
}

/**
 * The query parameters of a route, bound and validated by the class of the argument. Bound without a pipe: Nest awaits
 * five promises for each, 3 % of a request.
 */
export function QueryParameters(): ParameterDecorator {
  return boundBy(
    (binder, request, reply) => {
      const { query, strict } = request;
      return binder.bindQuery({ raw: query as RawQuery, strict, reply });
    },
    documentedBy((options) => ApiQuery(options)),
  );
}

/** The path parameters of a route, bound and validated by the class of the argument. */
export function PathParameters(): ParameterDecorator {
  return boundBy(
    (binder, { params }) => binder.bindPath(params as Record<string, string>),
    documentedBy((options) => ApiParam(options as ApiParamOptions)),
  );
}

function boundBy(
  bind: (binder: ParameterBinder<object>, request: FastifyRequest, reply: FastifyReply) => object,
  document: ParameterDecorator,
): ParameterDecorator {
  return (target, key, index) => {
    const type = typeOf(target, key, index);
    const decorate = createParamDecorator(
      (_: unknown, execution: ExecutionContext) => {
        const request = execution.getArgByIndex<FastifyRequest>(0);
        return bind(request.server.parameterBinders.of(type), request, execution.getArgByIndex<FastifyReply>(1));
      },
      [document],
    );
    decorate()(target, key, index);
  };
}

/** Documents the parameters of the class of the argument: Swagger does this for `@Query()` and `@Param()` only. */
function documentedBy(describe: (options: object) => MethodDecorator): ParameterDecorator {
  return (target, key, index) => {
    const route = Object.getOwnPropertyDescriptor(target, key ?? '') as TypedPropertyDescriptor<unknown>;
    for (const [name, options] of fieldsOf(typeOf(target, key, index))) {
      describe({ ...options, name })(target, key ?? '', route);
    }
  };
}

function typeOf(target: object, key: string | symbol | undefined, index: number): Type<object> {
  return (Reflect.getMetadata('design:paramtypes', target, key ?? '') as Type<object>[])[index] ?? Object;
}
