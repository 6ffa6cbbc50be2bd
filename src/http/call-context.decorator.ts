import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CallContext } from '../shipping/model/call-context';
import { departureOf } from './departure';
import { prefersStrictHandling } from './prefer';
import { continueTrace } from './trace-context';

/** Hands a route handler the {@link CallContext} of its request. */
export const Context = createParamDecorator((_: unknown, execution: ExecutionContext): CallContext => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  return {
    requestId: request.id,
    traceparent: continueTrace(request.headers.traceparent),
    strict: prefersStrictHandling(request.headers.prefer),
    signal: departureOf(request),
    cacheControl: request.headers['cache-control'],
  };
});
