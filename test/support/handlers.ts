import { Logger } from '@nestjs/common';
import type { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import { CallerLeft } from '../../src/shipping/gateway/policy/caller-left';
import type { CallContext } from '../../src/shipping/model/call-context';
import { COMPLETE, INCOMPLETENESS_REASONS, PARTIAL } from '../../src/shipping/model/completeness';
import { ExternalSystemFailure } from '../../src/shipping/model/external-system-failure';
import { ShippingNotFound } from '../../src/shipping/queries/shipping-not-found';
import { callContext } from './units';

type Method = 'getShippingSingle' | 'getShippingInfoById' | 'getShippingDetails' | 'getShippingPagedList';
type Execute = (gateway: ExternalShippingGateway, context: CallContext) => Promise<unknown>;

/** A gateway whose every method does the same, and what it was asked; several objects of one request are told as one. */
export function fakeGateway(answer: () => unknown = () => undefined): {
  gateway: ExternalShippingGateway;
  calls: [method: string, request: unknown, context: CallContext][];
} {
  const calls: [string, unknown, CallContext][] = [];
  const methodOf =
    (method: Method) =>
    async (...given: unknown[]): Promise<unknown> => {
      const requests = given.slice(0, -1);
      const request: unknown = requests.length === 1 ? requests[0] : Object.assign({}, ...requests);
      calls.push([method, request, given.at(-1) as CallContext]);
      return Promise.resolve(answer());
    };
  const gateway = {
    getShippingSingle: methodOf('getShippingSingle'),
    getShippingInfoById: methodOf('getShippingInfoById'),
    getShippingDetails: methodOf('getShippingDetails'),
    getShippingPagedList: methodOf('getShippingPagedList'),
  };
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

/** What every handler of a list has to do. */
export function describeList(list: { method: Method; asked: unknown; emptyBody: unknown; execute: Execute }): void {
  const { method, asked, emptyBody, execute } = list;
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
