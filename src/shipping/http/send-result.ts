import type { FastifyReply } from 'fastify';
import type { QueryResult } from '../model/query-result';
import { setCallFacts } from './call-facts.headers';
import { setCompleteness } from './completeness.header';

/** Sets the headers of a query result, and returns its body. */
export function sendResult(reply: FastifyReply): <Body>(result: QueryResult<Body>) => Body {
  return ({ body, completeness, facts }) => {
    setCompleteness(reply, completeness);
    if (facts !== undefined) setCallFacts(reply, facts);
    return body;
  };
}
