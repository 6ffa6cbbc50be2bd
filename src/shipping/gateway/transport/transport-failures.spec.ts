import { AxiosError } from 'axios';
import { causeOf } from '../../../../test/support/units';
import { failureOfHttpService, failureOfTransport } from './transport-failures';

const coded = (code: string, errors?: Error[]): Error => Object.assign(new Error('hidden'), { code, errors });

it.each<[error: Error, what: string]>([
  [coded('ECONNREFUSED', [coded('ECONNREFUSED'), coded('ETIMEDOUT')]), 'no connection: ECONNREFUSED'],
  [new TypeError('hidden'), 'no connection: TypeError'],
])('D81 %p is named', (error, what) => {
  const failure = failureOfTransport(error, 'nothing');
  const traits = [failure.reason, failure.retryable, failure.countsAgainstCircuit];
  expect([...traits, causeOf(failure)]).toEqual(['upstream-unreachable', true, true, what]);
});

it.each<[error: Error, reason: string, isUnhealthy: boolean]>([
  [new AxiosError('Network Error', 'ERR_NETWORK'), 'upstream-unreachable', true],
  [coded('ECONNRESET'), 'upstream-unreachable', true],
  [new AxiosError('timeout of 1000ms exceeded', 'ECONNABORTED'), 'upstream-timeout', true],
  [new AxiosError('stream has been aborted', 'ERR_BAD_RESPONSE'), 'bad-reply', true],
  [new AxiosError('maxContentLength size of 5 exceeded', 'ERR_BAD_RESPONSE'), 'bad-reply', false],
])('D20 D57 an adapter of axios fails by %p: %s', (error, reason, isUnhealthy) => {
  const traits = { retryable: isUnhealthy, countsAgainstCircuit: isUnhealthy };
  expect(failureOfHttpService(error)).toMatchObject({ reason, ...traits });
});
