import type { ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The context of a GraphQL query: with Nest's driver for Apollo it has `req`, with that for Mercurius `reply`. */
type GraphQLContext = Partial<Record<'req', FastifyRequest> & Record<'reply', FastifyReply>> | undefined;

/**
 * The request and the reply of what a guard decides on, or a decorator reads. A GraphQL resolver has the request in the context of its query,
 * and no reply, because it sends no headers of its own. A message of a microservice or a WebSocket has neither.
 */
export function exchangeOf(execution: ExecutionContext): { request?: FastifyRequest; reply?: FastifyReply } {
  const [first, second, context] = execution.getArgs<[FastifyRequest, FastifyReply, GraphQLContext]>();
  const type = execution.getType<string>();
  if (type === 'http') return { request: first, reply: second };
  return type === 'graphql' ? { request: context?.req ?? context?.reply?.request } : {};
}
