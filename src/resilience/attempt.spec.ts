import { Attempt } from './attempt';
import { CircuitBreaker } from './circuit-breaker';
import { failedStatus } from './upstream-failure';

it('D21 an attempt is refused where another call was asked for a pause meanwhile', () => {
  jest.useFakeTimers();
  const circuit = new CircuitBreaker(5000);
  const attempt = new Attempt(circuit, circuit.acquire(performance.now()), 1000);
  const send = (): void => {
    attempt.throwIfRefused();
  };
  expect(send).not.toThrow();
  circuit.settle(circuit.acquire(performance.now()), failedStatus(429, 60_000), performance.now());
  expect(send).toThrow('circuit-open');
});
