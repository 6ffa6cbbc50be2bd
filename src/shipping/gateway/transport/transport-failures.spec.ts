import fs from 'node:fs';
import { connectionFailure } from './transport-failures';

const coded = (code: string, errors?: Error[]): Error => Object.assign(new Error('hidden'), { code, errors });
const traitsOf = (error: Error): unknown => {
  const { reason, message, retryable, countsAgainstCircuit } = connectionFailure(error);
  return [reason, message, retryable, countsAgainstCircuit];
};

describe('connectionFailure', () => {
  it.each([
    ['EMFILE', /: EMFILE, this process .*LimitNOFILE.*ulimit -n/],
    ['ENFILE', /: ENFILE, this machine .*fs\.file-max/],
    ['EADDRNOTAVAIL', /: EADDRNOTAVAIL, this machine has no port/],
    ['ENOBUFS', /: ENOBUFS, this machine has too little memory/],
    ['ENOMEM', /: ENOMEM, this machine has too little memory/],
  ])('D57 %s is a failure of ours, with a remedy', (code, sentence) => {
    expect(traitsOf(coded(code))).toEqual(['internal', expect.stringMatching(sentence), true, false]);
    expect(traitsOf(coded(code, [coded(code), coded(code)]))).toEqual(traitsOf(coded(code)));
  });

  it('D57 of several addresses, one that an external system refused makes it a failure of that system', () => {
    const refused = ['upstream-unreachable', 'no connection: ECONNREFUSED', true, true];
    expect(traitsOf(coded('EADDRNOTAVAIL', [coded('EADDRNOTAVAIL'), coded('ECONNREFUSED')]))).toEqual(refused);
    expect(traitsOf(coded('ECONNREFUSED', [coded('ECONNREFUSED'), coded('EADDRNOTAVAIL')]))).toEqual(refused);
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN'])('D57 %s where no file can be opened is what the process lacks', (code) => {
    const unknown = ['upstream-unreachable', `no connection: ${code}`, true, true];
    expect(traitsOf(coded(code))).toEqual(unknown);
    const open = jest.spyOn(fs, 'openSync').mockImplementation(() => {
      throw coded('EMFILE');
    });
    expect(traitsOf(coded(code))).toEqual(['internal', expect.stringContaining(': EMFILE, this process'), true, false]);
    open.mockImplementation(() => {
      throw coded('EACCES');
    });
    expect(traitsOf(coded(code))).toEqual(unknown);
  });

  it('D81 an error without a code is named', () => {
    expect(traitsOf(new TypeError('hidden'))).toEqual(['upstream-unreachable', 'no connection: TypeError', true, true]);
  });
});
