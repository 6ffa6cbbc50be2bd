import { badResponse } from './http-failures';
import { AttemptFailure, ClientDisconnectedError, outcomeOf, UpstreamFailure } from './upstream-failure';

describe('AttemptFailure', () => {
  it('is a failure of the external system with its traits', () => {
    const failure = new AttemptFailure('upstream-error', 'status 503', {
      retryable: true,
      countsAgainstCircuit: true,
      retryAfterMs: 2000,
    });
    expect(failure).toBeInstanceOf(UpstreamFailure);
    expect(failure).toMatchObject({
      name: 'AttemptFailure',
      reason: 'upstream-error',
      message: 'status 503',
      retryable: true,
      countsAgainstCircuit: true,
      deadConnection: false,
      retryAfterMs: 2000,
    });
  });

  it('knows a dead connection', () => {
    const traits = { retryable: true, countsAgainstCircuit: false, deadConnection: true };
    expect(new AttemptFailure('upstream-unreachable', 'reset', traits)).toMatchObject(traits);
  });
});

describe('ClientDisconnectedError', () => {
  it('is no failure of the external system', () => {
    const left = new ClientDisconnectedError();
    expect(left).not.toBeInstanceOf(UpstreamFailure);
    expect(left).toMatchObject({
      name: 'ClientDisconnectedError',
      message: 'the client disconnected before the call ended',
    });
  });
});

describe('outcomeOf', () => {
  it.each([
    [new UpstreamFailure('saturated', 'x'), 'saturated'],
    [badResponse('x'), 'bad-reply'],
    [new ClientDisconnectedError(), 'caller-left'],
    [new TypeError('x'), 'internal'],
    ['x', 'internal'],
    [undefined, 'internal'],
  ])('%p is labelled %s', (error, label) => {
    expect(outcomeOf(error)).toBe(label);
  });
});
