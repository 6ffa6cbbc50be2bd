import compress from '@fastify/compress';
import cors from '@fastify/cors';
import { ManagementRoute, Public } from './common/route-metadata';
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

  it.each<[string, () => unknown]>([
    [
      'enableCors',
      () => {
        adapter.enableCors();
      },
    ],
    ['the plugin for CORS', () => void adapter.register(cors as never, {})],
  ])('%s beside CORS_ORIGINS is refused in words, and allowed without', (_, act) => {
    expect(act).not.toThrow();
    adapter.hasCors = true;
    expect(act).toThrow('CORS_ORIGINS is set');
    expect(() => void adapter.register(compress as never, {})).not.toThrow();
  });

  it('a probe has its own path, whatever Nest makes of it', async () => {
    class Probes {
      @ManagementRoute('/health/live')
      live(): string {
        return 'ok';
      }

      @Public()
      other(): string {
        return 'other';
      }
    }
    adapter.getInstance().decorate('use', (() => undefined) as never);
    adapter.get('/prefix/live', Probes.prototype.live);
    adapter.get('/prefix/other', Probes.prototype.other);
    const bodies = ['/health/live', '/prefix/other'].map(async (url) => (await adapter.inject({ url })).body);
    expect(await Promise.all(bodies)).toEqual(['ok', 'other']);
  });
});
