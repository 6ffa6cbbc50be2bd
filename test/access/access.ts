import { createHash } from 'node:crypto';
import { KeyServer } from '../../testing/key-server';
import { eventually } from '../../testing/upstream/eventually';
import { expectProblem } from '../support/expected';
import type { HttpResponse } from '../support/http-client';
import { RunningService, type ScriptedService } from '../support/service';
import { lookedUp, useStarted, useUpstream } from '../support/started';

export const BEARER_CHALLENGE = 'Bearer realm="shipping-query-service"';
export const INVALID_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token", error_description="The bearer token is not accepted."`;

export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A 401 that tells strangers how to come back, and nothing else. */
export function expectRefused(response: HttpResponse, code: string, challenge: string): void {
  expectProblem(response, 401, code);
  expect(response.headers['www-authenticate']).toBe(challenge);
}

/** The log line of a refused request says why, in fixed words that its client does not get (D81). */
export async function expectCause(service: RunningService, refused: HttpResponse, cause: string): Promise<void> {
  const requestId = refused.headers['x-request-id'];
  const line = (): unknown => service.requestLog.find((each) => each.requestId === requestId);
  await eventually('the line of the request', () => line() !== undefined);
  expect(line()).toMatchObject({ status: refused.status, cause });
}

/** The parts of a service that accepts the tokens of a key server. */
type GuardedService = Pick<ScriptedService, 'service' | 'upstream'> & { readonly keyServer: KeyServer };

/** A service that accepts the tokens of a key server, for all tests of a suite; its upstream is reset before each. */
export function useGuardedService(env: Readonly<Record<string, string>> = {}): GuardedService {
  const keyServer = useStarted(() => KeyServer.start());
  const upstream = useUpstream();
  const service = useStarted(() =>
    RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: upstream().url, ...keyServer().env, ...env }),
  );
  return lookedUp<GuardedService>({ service, upstream, keyServer });
}
