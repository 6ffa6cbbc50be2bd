import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { json, status } from '../../testing/upstream/responses';
import { proxied } from '../support/proxied';
import { exitCodeOf, type Node, read } from './support/files';
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
    expect(new URL(redis).hostname in services).toBe(true);
  });

  it('D76 finds out the health of the sandbox without a proxy', async () => {
    const [server, proxy] = await Promise.all([ScriptedUpstream.start(), ScriptedUpstream.start()]);
    const port = `port: ${String(sandbox.environment.SANDBOX_PORT)},`;
    const [, ...command]: string[] = sandbox.healthcheck.test;
    expect(command.join()).toContain(port);
    const check = command.map((text) => text.replace(port, `port: ${new URL(server.url).port},`));
    server.enqueue(json(), status(500));
    const codes = [await exitCodeOf(check, proxied(proxy.url)), await exitCodeOf(check, proxied(proxy.url))];
    expect([codes, proxy.calls.length]).toEqual([[0, 1], 0]);
    await Promise.all([server.close(), proxy.close()]);
    expect(await exitCodeOf(check, {})).toBe(1);
  });

  it('D76 finds out the health of the balancer without a proxy', () => {
    expect(balancer.healthcheck.test.slice(0, 4)).toEqual(['CMD', 'wget', '-Y', 'off']);
  });
});
