import { ForbiddenException, Injectable } from '@nestjs/common';
import type { QueryBehaviour, QueryExecutor } from '../../src/shipping/pipeline/query-behaviour';
import type { QueryType } from '../../src/shipping/queries/shared/shipping-query';

/** Refuses queries of clients without the scope of that query, such as `query:GetShippingDetailsQuery`. */
@Injectable()
export class ScopedQueries implements QueryBehaviour {
  wrap({ name }: QueryType, next: QueryExecutor): QueryExecutor {
    const scope = `query:${name}`;
    return (query) => {
      const isAllowed = query.context.user?.scopes.includes(scope) === true;
      return isAllowed ? next(query) : Promise.reject(new ForbiddenException());
    };
  }
}
