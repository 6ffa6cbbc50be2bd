import { expectUnavailable } from '../../support/expectations';
import type { HttpResponse } from '../../support/http-client';
import { OPERATIONS, STRICT, type Operation } from '../../support/operations';
import type { RunningService, ScriptedService } from '../../support/service';
import { json } from '../../support/upstream/responses';
import { STRICT_STATUS, type ExternalFault } from './external-faults';

/** Only silence of the external system lasts as long as these. */
export const QUICK = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '800',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300',
};
/** No deadline passes; a `Retry-After` of 30 seconds is beyond them. */
export const PATIENT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '20000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '20000',
};
/** The circuit breaker and the retry budget forget older calls. */
export const POLICY_WINDOW_MS = 11_000;

let asked = 0;

/** A sound request for an operation that no other request is identical to, and so shares a call with. */
export function distinct(operation: Operation): string {
  asked += 1;
  if (operation.name === 'GetShippingInfoById') return `GetShippingInfoById/SHP-${asked}`;
  if (operation.name === 'GetShippingSingle') return `GetShippingSingle?Id=SHP-${asked}`;
  return `${operation.request}&OrderId=ORD-${asked}`;
}

/** A response and what it was sent for. */
export interface Asked {
  readonly operation: Operation;
  readonly strict: boolean;
  readonly answer: HttpResponse;
}

/** Sends a request that no other request is identical to. */
export async function requestDistinct(service: RunningService, operation: Operation, strict = false): Promise<Asked> {
  const answer = await service.request(distinct(operation), strict ? STRICT : {});
  return { operation, strict, answer };
}

const CALLERS = [false, true].flatMap((strict) => OPERATIONS.map((operation) => ({ operation, strict })));

/** All four operations, with and without strict handling, at the same time: eight calls. */
export function askAll(service: RunningService): Promise<Asked[]> {
  return Promise.all(CALLERS.map(({ operation, strict }) => requestDistinct(service, operation, strict)));
}

/** All four operations, one after the other. */
export async function askInTurn(service: RunningService): Promise<Asked[]> {
  const all: Asked[] = [];
  for (const operation of OPERATIONS) all.push(await requestDistinct(service, operation));
  return all;
}

/** What clients of one operation are promised while the external system fails in this way. */
export function expectFailed(
  { operation, strict, answer }: Asked,
  { reason, noMatch }: Omit<ExternalFault, 'behaviour'>,
): void {
  if (operation.single && noMatch === true) expectError(answer, 404, 'shipping-not-found');
  else if (strict) expectError(answer, STRICT_STATUS[reason], 'external-system-failed');
  else if (operation.single) expectError(answer, 500, 'external-system-failed');
  else expectUnavailable(operation, answer, reason);
  if (strict) expect(answer.headers['preference-applied']).toBe('handling=strict');
}

/** A problem of this code that may not be stored. */
export function expectError(answer: HttpResponse, status: number, code: string): void {
  expect({
    status: answer.status,
    type: answer.headers['content-type'],
    cache: answer.headers['cache-control'],
  }).toEqual({
    status,
    type: expect.stringMatching(/^application\/problem\+json/),
    cache: 'no-store',
  });
  expect(answer.json()).toMatchObject({ status, code, requestId: answer.headers['x-request-id'] });
}

/** Nothing is left of what happened: no call in flight, no queue, and all four operations answer in full. */
export async function expectRecovered({ service, upstream }: Omit<ScriptedService, 'close'>): Promise<void> {
  upstream.respondWith(json());
  await upstream.until(() => upstream.inFlight() === 0);
  for (const operation of OPERATIONS) {
    const { answer } = await requestDistinct(service, operation);
    expect([operation.name, answer.status, answer.headers['shipping-completeness']]).toEqual([
      operation.name,
      200,
      'complete',
    ]);
  }
  await upstream.until(() => upstream.inFlight() === 0);
  expect((await service.get('/health/ready')).json()).toEqual({
    status: 'ready',
    externalSystem: { circuits: { single: 'closed', 'by-id': 'closed', details: 'closed', paged: 'closed' } },
  });
}
