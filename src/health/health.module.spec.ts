import { Lifecycle } from './health.module';

it('D27 a process that ends while it starts never becomes ready', () => {
  const lifecycle = new Lifecycle();
  expect(lifecycle.state).toBe('starting');
  lifecycle.onModuleDestroy();
  lifecycle.started();
  expect(lifecycle.state).toBe('draining');
});
