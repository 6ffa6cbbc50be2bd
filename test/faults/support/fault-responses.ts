import texts from '../../../src/http/problems/problems.json';
import type { FailureReason } from '../../../src/resilience/upstream-failure';
import { expectProblem, expectUnavailable } from '../../support/expected';
import type { HttpResponse } from '../../support/http-client';
import type { Operation } from '../../support/operations';

/** What strict clients get for each reason. */
export const STRICT_STATUS: Readonly<Record<Exclude<FailureReason, 'internal'>, number>> = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
};
export type Reason = keyof typeof STRICT_STATUS;

/** Expects what a client gets that accepts a degraded response. */
export function expectDegraded(operation: Operation, response: HttpResponse, reason: Reason): void {
  if (operation.single) {
    expectFailed(response, 500, reason);
  } else {
    expectUnavailable(operation, response, reason);
  }
  expect(response.headers['preference-applied']).toBeUndefined();
}

/** Expects what a strict client gets. */
export function expectStrictFailure(response: HttpResponse, reason: Reason): void {
  expectFailed(response, STRICT_STATUS[reason], reason);
  expect(response.headers['preference-applied']).toBe('handling=strict');
}

/** The detail says what happened (D88). */
function expectFailed(response: HttpResponse, status: number, reason: Reason): void {
  expectProblem(response, status, 'external-system-failed');
  expect(response.json()).toMatchObject({ reason, detail: texts.reasons[reason].cause });
}
