import compress from '@fastify/compress';
import cors from '@fastify/cors';
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
    expect(act).toThrow('then configureApp(app) before app.use');
  });

  it('the plugin for CORS beside CORS_ORIGINS is refused in words, and allowed without', () => {
    const register = (plugin: unknown) => (): void => void adapter.register(plugin as never, {});
    expect(register(cors)).not.toThrow();
    adapter.hasCors = true;
    expect(register(cors)).toThrow('CORS_ORIGINS is set');
    expect(register(compress)).not.toThrow();
  });
});
