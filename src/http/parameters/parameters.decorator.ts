import { createParamDecorator, Param, type Type } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fieldsOf } from '../../common/model-fields';
import { ParametersPipe } from './parameters.pipe';
import type { RawQuery, RequestQuery } from '../query-string';

const QueryOfRequest = createParamDecorator(
  (_: unknown, execution): RequestQuery => {
    const http = execution.switchToHttp();
    const { query, strict } = http.getRequest<FastifyRequest>();
    return { raw: query as RawQuery, strict, reply: http.getResponse<FastifyReply>() };
  },
  [documentQuery],
);

/** The query parameters of a route, bound and validated by the class of the argument. */
export function QueryParameters(): ParameterDecorator {
  return QueryOfRequest(ParametersPipe);
}

/** The path parameters of a route, bound and validated by the class of the argument. */
export function PathParameters(): ParameterDecorator {
  return Param(ParametersPipe);
}

/** Documents the parameters of the class of the argument: Swagger does this for `@Query()` only. */
function documentQuery(target: object, key: string | symbol | undefined, index: number): void {
  const types = Reflect.getMetadata('design:paramtypes', target, key ?? '') as Type[];
  const route = Object.getOwnPropertyDescriptor(target, key ?? '') as TypedPropertyDescriptor<unknown>;
  for (const [name, options] of fieldsOf(types[index] ?? Object)) {
    ApiQuery({ ...options, name } as ApiQueryOptions)(target, key ?? '', route);
  }
}
