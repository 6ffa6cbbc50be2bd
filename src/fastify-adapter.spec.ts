import { HOW_TO_START } from './app.module';
import { FastifyAdapter } from './fastify-adapter';

describe('D83 the adapter', () => {
  let adapter: FastifyAdapter;
  beforeEach(() => {
    adapter = new FastifyAdapter({ skipMiddie: true });
  });
  afterEach(() => adapter.close());

  it.each<[string, () => unknown]>([
    ['middleware', () => adapter.use(() => undefined)],
    ['a route', () => adapter.get('/', () => undefined)],
  ])('%s before configureApp is refused in words', (_, act) => {
    expect(act).toThrow(HOW_TO_START);
  });
});
