import { UpstreamFailure } from './upstream-failure';
import { AttemptFailure } from './attempt-failure';
import { ClientDisconnectedError } from './client-disconnected.error';

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
