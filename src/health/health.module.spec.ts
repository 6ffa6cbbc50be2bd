import { Lifecycle } from './health.module';

it.each([
  ['starting', 'at first', []],
  ['ready', 'once it has started', ['started']],
  ['draining', 'when it is stopped', ['started', 'onModuleDestroy']],
  ['draining', 'when it is stopped while it starts', ['onModuleDestroy', 'started']],
] as const)('D27 a process is %s %s', (state, _, steps) => {
  const lifecycle = new Lifecycle();
  for (const step of steps) lifecycle[step]();
  expect(lifecycle.state).toBe(state);
});
