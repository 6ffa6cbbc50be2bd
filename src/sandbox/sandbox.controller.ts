import { Controller, Get, NotFoundException, Param, Query, UseFilters } from '@nestjs/common';
import { oddList, oddRecord, simulateFailure, SimulatedFailureFilter } from './failure-switches';
import {
  type RawQuery,
  readDetailsCriteria,
  readNoParameters,
  readPageCriteria,
  readSingleCriteria,
} from './query-criteria';
import { toDetailsReply, toPageReply, toRecordReply, toSummaryReply } from './replies';
import type { ShippingRecord } from './shipping-record';
import { ShippingRepository } from './shipping.repository';

/**
 * The four operations of the stand-in external shipping system. Each reads its parameters strictly, gives way to a
 * failure switch and answers from the database. Errors have the body `{ Error }`.
 */
@Controller('shippings')
@UseFilters(SimulatedFailureFilter)
export class SandboxController {
  constructor(private readonly shippings: ShippingRepository) {}

  @Get('single')
  single(@Query() query: RawQuery): unknown {
    const criteria = readSingleCriteria(query);
    const texts = [criteria.id, criteria.orderId, criteria.trackingNumber];
    return simulateFailure(texts, oddRecord) ?? replyRecord(this.shippings.findSingle(criteria));
  }

  @Get('by-id/:id')
  byId(@Param('id') id: string, @Query() query: RawQuery): unknown {
    readNoParameters(query);
    return simulateFailure([id], oddRecord) ?? replyRecord(this.shippings.findById(id));
  }

  @Get('details')
  details(@Query() query: RawQuery): unknown {
    const { limit, ...filter } = readDetailsCriteria(query);
    return (
      simulateFailure([filter.orderId, filter.searchTerm], () => ({ ShippingDetails: oddList() })) ??
      toDetailsReply(this.shippings.list(filter, limit))
    );
  }

  @Get('paged')
  paged(@Query() query: RawQuery): unknown {
    const criteria = readPageCriteria(query);
    const oddPage = simulateFailure([criteria.orderId, criteria.searchTerm], () => {
      const items = oddList();
      return toPageReply(items, items.length, criteria);
    });
    if (oddPage !== undefined) return oddPage;
    const { records, totalCount } = this.shippings.page(criteria);
    return toPageReply(records.map(toSummaryReply), totalCount, criteria);
  }
}

function replyRecord(record: ShippingRecord | undefined): unknown {
  if (record === undefined) throw new NotFoundException({ Error: 'No such shipment' });
  return toRecordReply(record);
}
