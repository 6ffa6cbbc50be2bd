import { ExternalSystemFailure } from '../../model/external-system-failure';
import { AttemptFailure } from './attempt-failure';
import { CallerLeft } from './caller-left';

describe('AttemptFailure', () => {
  it('is a failure of the external system with its traits', () => {
    const failure = new AttemptFailure('upstream-error', 'status 503', {
      retryable: true,
      countsAgainstCircuit: true,
      retryAfterMs: 2000,
    });
    expect(failure).toBeInstanceOf(ExternalSystemFailure);
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

describe('CallerLeft', () => {
  it('is no failure of the external system', () => {
    const left = new CallerLeft();
    expect(left).not.toBeInstanceOf(ExternalSystemFailure);
    expect(left).toMatchObject({ name: 'CallerLeft', message: 'the caller left before the call ended' });
  });
});
