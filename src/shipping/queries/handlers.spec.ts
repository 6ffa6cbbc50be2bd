import type { Type } from '@nestjs/common';
import type { IQueryHandler } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { timedOut } from '../../resilience/http-failures';
import { ExternalShippingGateway } from '../gateway/external-shipping.gateway';
import { jobContext } from '../model/query-context';
import { COMPLETE, NO_MATCH } from '../model/query-result';
import { ShippingNotFoundException } from '../model/shipping-exceptions';
import { GetShippingDetailsHandler } from './get-shipping-details/get-shipping-details.handler';
import { GetShippingDetailsQuery } from './get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdHandler } from './get-shipping-info-by-id/get-shipping-info-by-id.handler';
import { GetShippingInfoByIdQuery } from './get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListHandler } from './get-shipping-paged-list/get-shipping-paged-list.handler';
import { GetShippingPagedListQuery } from './get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleHandler } from './get-shipping-single/get-shipping-single.handler';
import { GetShippingSingleQuery } from './get-shipping-single/get-shipping-single.query';

const gateway = { record: jest.fn(), list: jest.fn(), page: jest.fn() };
const paging = { PageNumber: 3, PageSize: 7 };
const sorting = { SortBy: 'Status', SortDirection: 'asc' };
const details = { SearchTerm: 'Berlin', Limit: 20 };
const context = jobContext();
const single = new GetShippingSingleQuery({ OrderId: 'ORD-1' }, context);
const byId = new GetShippingInfoByIdQuery({ id: 'SHP-1' }, context);
const paged = (strict = false): GetShippingPagedListQuery =>
  new GetShippingPagedListQuery({ ...paging, SortBy: 'status', SortDirection: 'ASC' }, { ...context, strict });
const list = (strict = false): GetShippingDetailsQuery => new GetShippingDetailsQuery(details, { ...context, strict });

async function execute(handler: Type<IQueryHandler>, query: object): Promise<unknown> {
  const providers = [handler, { provide: ExternalShippingGateway, useValue: gateway }];
  const module = await Test.createTestingModule({ providers }).compile();
  return module.get<IQueryHandler>(handler).execute(query);
}

beforeEach(() => jest.resetAllMocks());

type Method = keyof typeof gateway;

it.each<[string, Type<IQueryHandler>, { context: object }, Method, object]>([
  ['D11', GetShippingSingleHandler, single, 'record', { name: 'single', parameters: { OrderId: 'ORD-1' } }],
  ['D9', GetShippingInfoByIdHandler, byId, 'record', { name: 'by-id', id: 'SHP-1' }],
  ['D31', GetShippingDetailsHandler, list(), 'list', { name: 'details', parameters: details }],
  ['D8', GetShippingPagedListHandler, paged(), 'page', { parameters: { ...paging, ...sorting } }],
])('%s %p sends the request of its query, and returns what the gateway does', async (...row) => {
  const [, handler, query, method, sent] = row;
  const result = { body: { id: 'SHP-1' }, completeness: COMPLETE };
  gateway[method].mockResolvedValueOnce(result);
  expect(await execute(handler, query)).toBe(result);
  const [request, given] = gateway[method].mock.lastCall as [{ operation: { name: string } }, object];
  expect({ ...request, name: request.operation.name }).toMatchObject(sent);
  expect(given).toBe(query.context);
});

it.each<[Type<IQueryHandler>, object]>([
  [GetShippingSingleHandler, single],
  [GetShippingInfoByIdHandler, byId],
])('D15 %p throws "not found" where no record matches, and the failure of a call', async (handler, query) => {
  gateway.record.mockResolvedValueOnce(NO_MATCH).mockRejectedValueOnce(timedOut());
  await expect(execute(handler, query)).rejects.toBeInstanceOf(ShippingNotFoundException);
  await expect(execute(handler, query)).rejects.toMatchObject({ reason: 'upstream-timeout' });
});

const emptyPage = { items: [], totalCount: 0, pageNumber: 3, pageSize: 7, hasNextPage: false };
it.each<[Type<IQueryHandler>, (strict?: boolean) => object, Method, unknown]>([
  [GetShippingDetailsHandler, list, 'list', []],
  [GetShippingPagedListHandler, paged, 'page', emptyPage],
])('D20 %p returns nothing where a call fails, but throws for strict clients', async (handler, query, method, body) => {
  gateway[method].mockRejectedValue(timedOut());
  const completeness = { level: 'unavailable', reason: 'upstream-timeout', cause: timedOut().message };
  expect(await execute(handler, query())).toMatchObject({ body, completeness });
  await expect(execute(handler, query(true))).rejects.toMatchObject({ reason: 'upstream-timeout' });
});
