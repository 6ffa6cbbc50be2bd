import { type Node, read } from './support/files';
import { COMPOSE } from './support/manifests';

const { services } = COMPOSE;
const { balancer, sandbox } = services;
const REPLICAS = ['service-1', 'service-2', 'service-3'];

describe('the compose file', () => {
  it('starts three replicas alike, under the names and the port that nginx knows', () => {
    const [first, ...others] = REPLICAS.map((name) => services[name]);
    expect(others).toEqual([first, first]);
    const servers = [...read('deploy/nginx/replicas.conf').matchAll(/^server (\S+):3000 /gm)].map(([, name]) => name);
    expect(servers).toEqual(REPLICAS);
    expect(Object.keys(balancer.depends_on)).toEqual(REPLICAS);
  });

  it('publishes the port that nginx listens on, alone, and mounts the files that it reads', () => {
    const port = /^listen (\d+);$/m.exec(read('deploy/nginx/listen.conf'))?.[1];
    const published = Object.values<Node>(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual([`8080:${String(port)}`]);
    const included = [...read('deploy/nginx/nginx.conf').matchAll(/include (\S+);/g)].map(([, name]) => String(name));
    const mounted = ['nginx.conf', ...included].map((name) => `./nginx/${name}:/etc/nginx/${name}:ro`);
    expect([...balancer.volumes].sort()).toEqual(mounted.sort());
    expect(balancer.healthcheck.test.join(' ')).toContain(`:${String(port)}/health/live`);
  });

  it('tells the replicas where the sandbox listens, and Redis', () => {
    const { EXTERNAL_SHIPPING_BASE_URL: url, REDIS_URL: redis } = services['service-1'].environment;
    expect(url).toBe(`http://sandbox:${sandbox.environment.SANDBOX_PORT}`);
    expect(sandbox.healthcheck.test.join(' ')).toContain(`127.0.0.1:${sandbox.environment.SANDBOX_PORT}/`);
    expect(new URL(redis).hostname in services).toBe(true);
  });
});
