import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LoggedError } from '../../common/errors';
import { traceOf, traceparentOf } from '../../observability/tracing/trace-context';
import type { QueryContext } from '../model/query-context';

/** Injects the {@link QueryContext} of a request. */
export const ShippingContext = createParamDecorator((_: unknown, execution: ExecutionContext): QueryContext => {
  if (execution.getType() !== 'http') {
    throw new LoggedError('Without an HTTP request, jobContext() makes the context of a query');
  }
  return queryContextOf(execution.switchToHttp().getRequest());
});

/** @deprecated since `@nestjs/graphql` has a decorator of this name; use {@link ShippingContext} */
export const Context = ShippingContext;

/** The context of the queries that are executed for a request, where {@link ShippingContext} cannot inject it. */
export function queryContextOf(request: FastifyRequest): QueryContext {
  return {
    requestId: request.id,
    traceparent: traceparentOf(traceOf(request)),
    strict: request.strict,
    signal: request.disconnect?.signal,
    forwarded: request.forwarded,
    user: request.user,
  };
}
