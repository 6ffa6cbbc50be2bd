import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { traceOf, traceparentOf } from '../../observability/tracing/tracing';
import type { QueryContext } from '../model/query-context';

/** Injects the {@link QueryContext} of a request. */
export const Context = createParamDecorator((_: unknown, execution: ExecutionContext): QueryContext => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  return {
    requestId: request.id,
    traceparent: traceparentOf(traceOf(request)),
    strict: request.strict,
    signal: request.disconnect,
    forwarded: request.forwarded,
    system: request.system,
    user: request.user,
  };
});
