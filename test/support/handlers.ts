import { ForbiddenException, Logger } from '@nestjs/common';
import { ClientDisconnectedError, FAILURE_REASONS, UpstreamFailure } from '../../src/resilience/upstream-failure';
import type { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import type { UpstreamRequest } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { COMPLETE, NO_MATCH, PARTIAL, type QueryResult } from '../../src/shipping/model/query-result';
import { ShippingNotFoundException } from '../../src/shipping/model/shipping-exceptions';
import type { QueryContext } from '../../src/shipping/model/query-context';
import type { ShippingListQuery } from '../../src/shipping/queries/shared/shipping-query';
import { callContext } from './units';

type Execute = (gateway: ExternalShippingGateway, context: QueryContext) => Promise<unknown>;

/** What a handler requests: the method of the gateway, the name of the operation, and its values. */
export interface ExpectedCall {
  readonly call: 'record' | 'list' | 'page';
  readonly operation: string;
  readonly id?: string;
  readonly parameters?: object;
}

/** A call that the fake gateway received. */
interface ReceivedCall extends ExpectedCall {
  readonly context: QueryContext;
}

/** A gateway that returns the same result for each call, and the calls that it received. */
export function fakeGateway(result: () => unknown = () => NO_MATCH): {
  gateway: ExternalShippingGateway;
  calls: ReceivedCall[];
} {
  const calls: ReceivedCall[] = [];
  const methods = (['record', 'list', 'page'] as const).map((call) => {
    const method = async (request: UpstreamRequest, context: QueryContext): Promise<unknown> => {
      calls.push({ ...request, call, operation: request.operation.name, context });
      return Promise.resolve(result());
    };
    return [call, method] as const;
  });
  return { gateway: Object.fromEntries(methods) as unknown as ExternalShippingGateway, calls };
}

const RESULT = { body: {}, completeness: PARTIAL, cache: { status: 'fwd=miss' } };
const FAILURES = FAILURE_REASONS.filter((reason) => reason !== 'internal').map(
  (reason) => new UpstreamFailure(reason, 'failed'),
);

const throwing = (error: unknown): ExternalShippingGateway =>
  fakeGateway(() => {
    throw error;
  }).gateway;

function sendsAndReturns(expected: ExpectedCall, execute: Execute): void {
  it('sends one upstream request with its context, and returns the result', async () => {
    const { gateway, calls } = fakeGateway(() => RESULT);
    const context = callContext();
    expect(await execute(gateway, context)).toBe(RESULT);
    expect(calls).toEqual([{ ...expected, context }]);
    expect(calls[0]?.context).toBe(context);
  });
}

/** The contract of handlers of single lookups. */
export function describeLookup(expected: ExpectedCall, execute: Execute): void {
  sendsAndReturns(expected, execute);

  it.each([true, false])('D15 throws not found where no record matches (strict: %s)', async (strict) => {
    const cache = { status: 'fwd=miss' };
    const { gateway } = fakeGateway(() => ({ ...NO_MATCH, cache }));
    const executed = execute(gateway, callContext({ strict }));
    await expect(executed).rejects.toBeInstanceOf(ShippingNotFoundException);
    await expect(executed).rejects.toMatchObject({ cache });
  });

  it.each([...FAILURES, new TypeError('odd'), new ClientDisconnectedError()])('D15 throws %p', async (error) => {
    await expect(execute(throwing(error), callContext())).rejects.toBe(error);
  });
}

/** The contract of handlers of lists. */
export function describeList<Query extends ShippingListQuery<unknown, unknown>>(list: {
  expected: ExpectedCall;
  emptyBody: unknown;
  query: (context: QueryContext) => Query;
  handler: (gateway: ExternalShippingGateway) => { execute: (query: Query) => Promise<QueryResult<unknown>> };
}): void {
  const { expected, emptyBody } = list;
  const execute: Execute = (gateway, context) => list.handler(gateway).execute(list.query(context));
  sendsAndReturns(expected, execute);

  it.each(FAILURES)('failure behaviour 1 and 2, D20: $reason gives the empty list', async (failure) => {
    expect(await execute(throwing(failure), callContext())).toEqual({
      body: emptyBody,
      completeness: { level: 'unavailable', reason: failure.reason },
    });
  });

  it('failure behaviour 3: an unexpected error gives the empty list', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    expect(await execute(throwing(new TypeError('odd')), callContext())).toEqual({
      body: emptyBody,
      completeness: { level: 'unavailable', reason: 'internal' },
    });
  });

  it.each([...FAILURES, new TypeError('odd')])('D21 a strict client gets %p', async (error) => {
    await expect(execute(throwing(error), callContext({ strict: true }))).rejects.toBe(error);
  });

  it.each([new ClientDisconnectedError(), new ForbiddenException()])('nothing hides %p', async (error) => {
    await expect(execute(throwing(error), callContext())).rejects.toBe(error);
  });

  it('an empty list that is complete stays complete', async () => {
    const result = { body: emptyBody, completeness: COMPLETE };
    expect(await execute(fakeGateway(() => result).gateway, callContext())).toBe(result);
  });
}
