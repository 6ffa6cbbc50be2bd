import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { QueryResult } from '../model/query-result';
import type { PagedShippingList } from '../model/response-bodies';
import { linkPages } from './page-links';
import { setCacheStatus, setCompleteness } from './result-headers';

/** Turns a {@link QueryResult} into headers and body, with links to the other pages of the route. Other values stay. */
@Injectable()
export class QueryResultInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = execution.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((result: unknown) => (isQueryResult(result) ? bodyOf(result, reply) : result)));
  }
}

function bodyOf({ body, completeness, cache }: QueryResult<unknown>, reply: FastifyReply): unknown {
  if (isPage(body)) linkPages(reply.request, reply, body);
  setCompleteness(reply, completeness);
  setCacheStatus(reply, cache);
  return body;
}

function isQueryResult(value: unknown): value is QueryResult<unknown> {
  const { body, completeness } = (value ?? {}) as Partial<QueryResult<unknown>>;
  return body !== undefined && completeness?.level !== undefined;
}

function isPage(body: unknown): body is PagedShippingList {
  return (body as Partial<PagedShippingList> | null)?.totalPages !== undefined;
}
