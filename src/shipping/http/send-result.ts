import type { FastifyReply } from 'fastify';
import { encodeOnce } from '../../http/encoded-body';
import type { QueryResult } from '../model/query-result';
import { setCallFacts } from './call-facts.headers';
import { setCompleteness } from './completeness.header';

/** Sets the headers of a query result and how its body is encoded, and returns the body. */
export function sendResult(reply: FastifyReply): <Body>(result: QueryResult<Body>) => Body {
  return ({ body, completeness, facts }) => {
    setCompleteness(reply, completeness);
    if (facts !== undefined) setCallFacts(reply, facts);
    // A cached body is sent many times.
    if (facts?.cache?.ageSeconds !== undefined) encodeOnce(reply);
    return body;
  };
}
