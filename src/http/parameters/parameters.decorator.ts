import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ParametersPipe, type ParameterSource } from './parameters.pipe';
import { queryStringOf } from './query-string';

/**
 * Injects the query parameters as an instance of the class of the argument: rules of class-validator, conversions of
 * class-transformer. Names match ignoring case, a name given twice is refused, unknown names are reported as ignored and
 * refused for strict clients.
 */
export const QueryParameters = (): ParameterDecorator => fromQuery(ParametersPipe);

/**
 * Injects the path parameters likewise, for a route without query parameters: all that are given are unknown. Document them
 * by `@ApiParam`.
 */
export const PathParameters = (): ParameterDecorator => fromPath(ParametersPipe);

const fromQuery = createParamDecorator(
  (_: unknown, execution: ExecutionContext) => sourceOf(execution),
  [documentQuery],
);

const fromPath = createParamDecorator((_: unknown, execution: ExecutionContext) => {
  const { params } = execution.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  return { ...sourceOf(execution), path: params };
});

function sourceOf(execution: ExecutionContext): ParameterSource {
  const http = execution.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  return { query: queryStringOf(request), strict: request.strict, reply: http.getResponse<FastifyReply>() };
}

/** Documents the parameters of the class of the argument, as Nest does for `@Query()`. */
function documentQuery(controller: object, method: string | symbol | undefined, index: number): void {
  if (method === undefined) return;
  const types = Reflect.getMetadata('design:paramtypes', controller, method) as Type[];
  const descriptor = Object.getOwnPropertyDescriptor(controller, method) ?? {};
  ApiQuery({ type: types[index] })(controller, method, descriptor);
}
