import { AxiosError } from 'axios';
import { causeOf } from '../../../../test/support/units';
import { connectionFailure, failureOfHttpService } from './transport-failures';

const coded = (code: string, errors?: Error[]): Error => Object.assign(new Error('hidden'), { code, errors });
const traitsOf = (error: Error): unknown => {
  const failure = connectionFailure(error);
  return [failure.reason, causeOf(failure), failure.retryable, failure.countsAgainstCircuit];
};

describe('connectionFailure', () => {
  it.each(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])('D57 %s is a failure of ours', (code) => {
    expect(traitsOf(coded(code))).toEqual(['internal', `no connection could be opened: ${code}`, true, false]);
    expect(traitsOf(coded(code, [coded(code), coded(code)]))).toEqual(traitsOf(coded(code)));
  });

  it('D57 of several addresses, one that an external system refused makes it a failure of that system', () => {
    const refused = ['upstream-unreachable', 'no connection: ECONNREFUSED', true, true];
    expect(traitsOf(coded('EADDRNOTAVAIL', [coded('EADDRNOTAVAIL'), coded('ECONNREFUSED')]))).toEqual(refused);
    expect(traitsOf(coded('ECONNREFUSED', [coded('ECONNREFUSED'), coded('EADDRNOTAVAIL')]))).toEqual(refused);
  });

  it('D81 an error without a code is named', () => {
    expect(traitsOf(new TypeError('hidden'))).toEqual(['upstream-unreachable', 'no connection: TypeError', true, true]);
  });
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
