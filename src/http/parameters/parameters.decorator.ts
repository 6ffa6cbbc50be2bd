import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ParametersPipe, type ParameterSource } from './parameters.pipe';
import { queryStringOf } from './query-string';

/** Injects the query parameters, validated, as an instance of the class of the argument; names ignore case. */
export const QueryParameters = (): ParameterDecorator => fromQuery(ParametersPipe);

/** Injects the path parameters likewise; query parameters are unknown then. Document them by `@ApiParam`. */
export const PathParameters = (): ParameterDecorator => fromPath(ParametersPipe);

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
