import { Controller, Get, Param, Query, StandardSchemaValidationPipe, UseFilters, UsePipes } from '@nestjs/common';
import { simulateError, SimulatedFailureFilter } from './errors-on-demand';
import { detailsQuery, pageQuery, QueryRules, singleQuery } from './query-rules';
import type { DetailsQuery, PageQuery, SingleQuery } from './query-rules';
import { toSummary } from './records';

@Controller('shippings')
@UsePipes(StandardSchemaValidationPipe)
@UseFilters(SimulatedFailureFilter)
export class SandboxController {
  constructor(private readonly rules: QueryRules) {}

  @Get('single')
  single(@Query({ schema: singleQuery }) query: SingleQuery): unknown {
    return (
      simulateError([query.Id, query.OrderId, query.TrackingNumber], undefined, query.Id) ?? this.rules.find(query)
    );
  }

  @Get('by-id/:id')
  byId(@Param('id') id: string): unknown {
    return simulateError([id], undefined, id) ?? this.rules.find({ Id: id });
  }

  @Get('details')
  details(@Query({ schema: detailsQuery }) query: DetailsQuery): unknown {
    const toBody = (records: readonly unknown[]): object => ({ ShippingDetails: records });
    return simulateError([query.OrderId, query.SearchTerm], toBody) ?? toBody(this.rules.list(query).map(toSummary));
  }

  @Get('paged')
  paged(@Query({ schema: pageQuery }) query: PageQuery): unknown {
    const simulated = simulateError([query.OrderId, query.SearchTerm], (items) => toPage(items, items.length, query));
    if (simulated !== undefined) return simulated;
    const { records, totalCount } = this.rules.page(query);
    return toPage(records.map(toSummary), totalCount, query);
  }
}

function toPage(items: readonly unknown[], totalCount: number, { PageNumber, PageSize }: PageQuery): object {
  const totalPages = Math.ceil(totalCount / PageSize);
  return {
    Items: items,
    TotalCount: totalCount,
    PageNumber,
    PageSize,
    TotalPages: totalPages,
    HasPreviousPage: PageNumber > 1,
    HasNextPage: PageNumber < totalPages,
  };
}
