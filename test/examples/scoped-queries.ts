import { ForbiddenException, Injectable } from '@nestjs/common';
import type { CallContext } from '../../src/shipping/model/call-context';
import type { Ask, QueryBehaviour } from '../../src/shipping/pipeline/query-behaviour';
import type { QueryType } from '../../src/shipping/queries/shipping-query';

/** A context that knows what its caller may do; `call-context.decorator.ts` would fill it in. */
export interface ScopedContext extends CallContext {
  readonly scopes?: ReadonlySet<string>;
}

/** Lets a query pass where its caller has the scope of that query, such as `query:GetShippingDetailsQuery`. */
@Injectable()
export class ScopedQueries implements QueryBehaviour {
  around({ name }: QueryType, next: Ask): Ask {
    const scope = `query:${name}`;
    return (query) => {
      const { scopes } = query.context as ScopedContext;
      return scopes?.has(scope) === true ? next(query) : Promise.reject(new ForbiddenException());
    };
  }
}
