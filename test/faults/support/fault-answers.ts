import { expectUnavailable } from '../../support/expectations';
import type { HttpAnswer } from '../../support/http-client';
import { OPERATIONS, STRICT, type Operation } from '../../support/operations';
import type { RunningService, ScriptedService } from '../../support/service';
import { json } from '../../support/upstream/answers';
import { STRICT_STATUS, type ExternalFault } from './external-faults';

/** The time-outs that suites run with, so that a fault takes moments. */
export const TOTAL_MS = 800;
export const QUICK = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: String(TOTAL_MS),
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '400',
};

/** What may pass between the total deadline and the answer. */
export const GRACE_MS = 500;

let asked = 0;

/** A sound request for an operation that no other request is identical to, and so shares a call with. */
export function distinct(operation: Operation): string {
  asked += 1;
  if (operation.name === 'GetShippingInfoById') return `GetShippingInfoById/SHP-${asked}`;
  if (operation.name === 'GetShippingSingle') return `GetShippingSingle?Id=SHP-${asked}`;
  return `${operation.request}&OrderId=ORD-${asked}`;
}

/** An answer and how long it took. */
export interface Timed {
  readonly operation: Operation;
  readonly strict: boolean;
  readonly answer: HttpAnswer;
  readonly tookMs: number;
}

/**
 * Asks, and asks again where the service shed the request because a busy machine had stalled the process: it may, and
 * it makes no external call then.
 */
export async function timed(service: RunningService, operation: Operation, strict = false): Promise<Timed> {
  const request = distinct(operation);
  for (;;) {
    const start = performance.now();
    const answer = await service.ask(request, strict ? STRICT : {});
    const tookMs = performance.now() - start;
    if (!isShed(answer)) return { operation, strict, answer, tookMs };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Whether the answer says that the process itself was too busy. */
export function isShed(answer: HttpAnswer): boolean {
  return answer.status === 503 && answer.body.includes('"overloaded"');
}

const CALLERS = [false, true].flatMap((strict) => OPERATIONS.map((operation) => ({ operation, strict })));

/** All four operations, for default and strict callers, at the same time: eight calls. */
export function askAll(service: RunningService): Promise<Timed[]> {
  return Promise.all(CALLERS.map(({ operation, strict }) => timed(service, operation, strict)));
}

/** As {@link askAll}, one after the other. */
export async function askInTurn(service: RunningService): Promise<Timed[]> {
  const all: Timed[] = [];
  for (const { operation, strict } of CALLERS) all.push(await timed(service, operation, strict));
  return all;
}

/** What callers of one operation are promised while the external system fails in this way. */
export function expectFailed(
  { operation, strict, answer }: Timed,
  { reason, noMatch }: Omit<ExternalFault, 'behaviour'>,
): void {
  if (operation.single && noMatch === true) expectError(answer, 404, 'shipping-not-found');
  else if (strict) expectError(answer, STRICT_STATUS[reason], 'external-system-failed');
  else if (operation.single) expectError(answer, 500, 'external-system-failed');
  else expectUnavailable(operation, answer, reason);
  if (strict) expect(answer.headers['preference-applied']).toBe('handling=strict');
}

/** A problem of this code that may not be stored. */
export function expectError(answer: HttpAnswer, status: number, code: string): void {
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
export async function expectRecovered({ service, upstream }: ScriptedService): Promise<void> {
  upstream.respondWith(json());
  await upstream.until(() => upstream.inFlight() === 0);
  for (const operation of OPERATIONS) {
    const { answer } = await timed(service, operation);
    expect([operation.name, answer.status, answer.headers['shipping-completeness']]).toEqual([
      operation.name,
      200,
      'complete',
    ]);
  }
  await upstream.until(() => upstream.inFlight() === 0);
  expect((await service.get('/health/ready')).json()).toEqual({
    status: 'ready',
    externalSystem: { circuit: 'closed', inFlight: 0, waiting: 0 },
  });
}
