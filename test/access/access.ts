import { createHash } from 'node:crypto';
import type { HttpResponse } from '../support/http-client';
import { expectProblem } from '../support/operations';

export const BEARER_CHALLENGE = 'Bearer realm="shipping-query-service"';
export const INVALID_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token", error_description="The bearer token is not accepted."`;
export const EXPIRED_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token", error_description="The bearer token has expired."`;

export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Seconds since 1970, as tokens have them. */
export const now = (): number => Math.floor(Date.now() / 1000);

/** A 401 that tells strangers how to come back, and nothing else. */
export function expectRefused(response: HttpResponse, code: string, challenge: string): void {
  expectProblem(response, 401, code);
  expect(response.headers['www-authenticate']).toBe(challenge);
}
