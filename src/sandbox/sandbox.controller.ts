import { Controller, Get, NotFoundException, Param, Query } from '@nestjs/common';
import { simulatedRecords } from './errors-on-demand';
import { DetailsQuery, PageQuery, QueryRules, SingleQuery } from './query-rules';

@Controller('shippings')
export class SandboxController {
  constructor(private readonly rules: QueryRules) {}

  @Get('single')
  single(@Query({ schema: SingleQuery }) query: SingleQuery): object {
    const [record] = simulatedRecords(query) ?? [this.rules.find(query)];
    if (record === undefined) throw new NotFoundException({ Error: 'No such shipment' });
    return record;
  }

  @Get('by-id/:id')
  byId(@Param('id') id: string): object {
    return this.single({ Id: id });
  }

  @Get('details')
  details(@Query({ schema: DetailsQuery }) query: DetailsQuery): object {
    const records = simulatedRecords(query) ?? this.rules.list(query).slice(0, query.Limit ?? this.rules.defaultLimit);
    return { ShippingDetails: records.map(toSummary) };
  }

  @Get('paged')
  paged(@Query({ schema: PageQuery }) query: PageQuery): object {
    const { PageNumber, PageSize } = query;
    const simulated = simulatedRecords(query);
    const matching = simulated ?? this.rules.list(query, query);
    const start = (PageNumber - 1) * PageSize;
    const Items = (simulated ?? matching.slice(start, start + PageSize)).map(toSummary);
    // Simulated records are on every page: with a smaller total, the pages would contradict themselves (D14).
    const TotalCount = simulated === undefined ? matching.length : start + simulated.length;
    const TotalPages = Math.ceil(TotalCount / PageSize);
    const flags = { HasPreviousPage: PageNumber > 1, HasNextPage: PageNumber < TotalPages };
    return { Items, TotalCount, PageNumber, PageSize, TotalPages, ...flags };
  }
}

/** Leaves out the items, which only single lookups send. */
function toSummary(record: object): object {
  return { ...record, ShippingItems: undefined };
}
