import { Logger } from '@nestjs/common';
import { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import { CallerLeft } from '../../src/shipping/gateway/policy/caller-left';
import type { CallContext } from '../../src/shipping/model/call-context';
import { COMPLETE, INCOMPLETENESS_REASONS, PARTIAL, type Answer } from '../../src/shipping/model/completeness';
import { ExternalSystemFailure } from '../../src/shipping/model/external-system-failure';
import { ListFallback } from '../../src/shipping/pipeline/list-fallback';
import { ShippingNotFound } from '../../src/shipping/queries/shipping-not-found';
import type { QueryType, ShippingListQuery } from '../../src/shipping/queries/shipping-query';
import { callContext } from './units';

type Method = keyof ExternalShippingGateway;
type Execute = (gateway: ExternalShippingGateway, context: CallContext) => Promise<unknown>;

/** A gateway whose every method does the same, and what it was asked; several objects of one request are told as one. */
export function fakeGateway(answer: () => unknown = () => undefined): {
  gateway: ExternalShippingGateway;
  calls: [method: string, request: unknown, context: CallContext][];
} {
  const calls: [string, unknown, CallContext][] = [];
  const methodOf =
    (method: string) =>
    async (...given: unknown[]): Promise<unknown> => {
      const requests = given.slice(0, -1);
      const request: unknown = requests.length === 1 ? requests[0] : Object.assign({}, ...requests);
      calls.push([method, request, given.at(-1) as CallContext]);
      return Promise.resolve(answer());
    };
  // Only what the real one has: a framework that looks for hooks of the life cycle finds none.
  const names = Object.getOwnPropertyNames(ExternalShippingGateway.prototype).filter((name) => name !== 'constructor');
  const gateway = Object.fromEntries(names.map((name) => [name, methodOf(name)]));
  return { gateway: gateway as unknown as ExternalShippingGateway, calls };
}

const ANSWER = { body: {}, completeness: PARTIAL };
const FAILURES = INCOMPLETENESS_REASONS.filter((reason) => reason !== 'internal').map(
  (reason) => new ExternalSystemFailure(reason, 'failed'),
);

const throwing = (error: unknown): ExternalShippingGateway =>
  fakeGateway(() => {
    throw error;
  }).gateway;

function asksAndHandsOver(method: Method, asked: unknown, execute: Execute): void {
  it('asks the gateway once, hands the context along, and hands over the answer as it is', async () => {
    const { gateway, calls } = fakeGateway(() => ANSWER);
    const context = callContext();
    expect(await execute(gateway, context)).toBe(ANSWER);
    expect(calls).toEqual([[method, asked, context]]);
    expect(calls[0]?.[2]).toBe(context);
  });
}

/** What every handler of a single lookup has to do. */
export function describeLookup(method: Method, asked: unknown, execute: Execute): void {
  asksAndHandsOver(method, asked, execute);

  it.each([true, false])('D15 throws not found where there is no record (strict: %s)', async (strict) => {
    await expect(execute(fakeGateway().gateway, callContext({ strict }))).rejects.toBeInstanceOf(ShippingNotFound);
  });

  it.each([...FAILURES, new TypeError('odd'), new CallerLeft()])('D15 lets %p pass', async (error) => {
    await expect(execute(throwing(error), callContext())).rejects.toBe(error);
  });
}

/** What every handler of a list has to do, and what comes of it under the fallback of lists. */
export function describeList<Query extends ShippingListQuery<unknown, unknown>>(list: {
  method: Method;
  asked: unknown;
  emptyBody: unknown;
  query: (context: CallContext) => Query;
  handler: (gateway: ExternalShippingGateway) => { execute: (query: Query) => Promise<Answer<unknown>> };
}): void {
  const { method, asked, emptyBody } = list;
  const execute: Execute = (gateway, context) => {
    const query = list.query(context);
    const handler = list.handler(gateway);
    return new ListFallback().around(query.constructor as QueryType, () => handler.execute(query))(query);
  };
  asksAndHandsOver(method, asked, execute);

  it.each(FAILURES)('failure behaviour 1 and 2, D20: $reason gives the empty list', async (failure) => {
    expect(await execute(throwing(failure), callContext())).toEqual({
      body: emptyBody,
      completeness: { level: 'unavailable', reason: failure.reason },
    });
  });

  it('failure behaviour 3: an unexpected error gives the empty list', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    expect(await execute(throwing(new TypeError('odd')), callContext())).toEqual({
      body: emptyBody,
      completeness: { level: 'unavailable', reason: 'internal' },
    });
    logged.mockRestore();
  });

  it.each([...FAILURES, new TypeError('odd')])('D21 a strict caller gets %p', async (error) => {
    await expect(execute(throwing(error), callContext({ strict: true }))).rejects.toBe(error);
  });

  it('a caller who left gets nothing', async () => {
    await expect(execute(throwing(new CallerLeft()), callContext())).rejects.toBeInstanceOf(CallerLeft);
  });

  it('an empty list that is complete stays complete', async () => {
    const answer = { body: emptyBody, completeness: COMPLETE };
    expect(await execute(fakeGateway(() => answer).gateway, callContext())).toBe(answer);
  });
}
