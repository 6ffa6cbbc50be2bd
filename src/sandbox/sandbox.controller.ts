import { Controller, Get, NotFoundException, Param, Query, UseFilters } from '@nestjs/common';
import {
  oddList,
  oddRecord,
  SimulatedFailureFilter,
  simulateFailure,
  slowList,
  slowRecord,
  type SimulatedResponses,
} from './failure-switches';
import {
  readDetailsCriteria,
  readNoParameters,
  readPageCriteria,
  readSingleCriteria,
  type RawQuery,
} from './query-criteria';
import type { ShippingRecord } from './shipping-record';
import { ShippingRepository } from './shipping.repository';
import { toDetailsResponse, toPageResponse, toRecordResponse, toSummaryResponse } from './wire-format';

const RECORDS: SimulatedResponses = { odd: oddRecord, slow: slowRecord };

/** The replies of a list, whose form depends on the operation. */
function lists(toReply: (items: unknown[]) => unknown): SimulatedResponses {
  return { odd: () => toReply(oddList()), slow: () => toReply(slowList()) };
}

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
    return simulateFailure(texts, RECORDS) ?? replyRecord(this.shippings.findSingle(criteria));
  }

  @Get('by-id/:id')
  byId(@Param('id') id: string, @Query() query: RawQuery): unknown {
    readNoParameters(query);
    return simulateFailure([id], RECORDS) ?? replyRecord(this.shippings.findById(id));
  }

  @Get('details')
  details(@Query() query: RawQuery): unknown {
    const { limit, ...filter } = readDetailsCriteria(query);
    return (
      simulateFailure(
        [filter.orderId, filter.searchTerm],
        lists((records) => ({ ShippingDetails: records })),
      ) ?? toDetailsResponse(this.shippings.list(filter, limit))
    );
  }

  @Get('paged')
  paged(@Query() query: RawQuery): unknown {
    const criteria = readPageCriteria(query);
    const simulated = simulateFailure(
      [criteria.orderId, criteria.searchTerm],
      lists((items) => toPageResponse(items, items.length, criteria)),
    );
    if (simulated !== undefined) return simulated;
    const { records, totalCount } = this.shippings.page(criteria);
    return toPageResponse(records.map(toSummaryResponse), totalCount, criteria);
  }
}

function replyRecord(record: ShippingRecord | undefined): unknown {
  if (record === undefined) throw new NotFoundException({ Error: 'No such shipment' });
  return toRecordResponse(record);
}
