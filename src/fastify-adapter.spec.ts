import { HOW_TO_START } from './app.module';
import { FastifyAdapter } from './fastify-adapter';

describe('D83 the adapter', () => {
  let adapter: FastifyAdapter;
  beforeEach(() => {
    adapter = new FastifyAdapter({ skipMiddie: true });
  });
  afterEach(() => adapter.close());

  it.each<[string, () => unknown, string]>([
    ['middleware', () => void adapter.use(() => undefined), 'use is not a function'],
    ['a route', () => adapter.get('/', () => undefined), HOW_TO_START],
  ])('%s before configureApp is refused', (_, act, message) => {
    expect(act).toThrow(message);
  });
});
