import { homedir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../test/deploy/support/files';
import { ROOT } from '../checks';
import type { Engine } from './engine';
import { SERVICES } from './stack';

/**
 * Builds the shipped image by its Dockerfile, the unit, and what stands in for images that only a public registry has,
 * under the names that the Dockerfile and the compose file have.
 */
export async function buildImages(engine: Engine, shipped: string): Promise<void> {
  const [, base = '', major = ''] = /^ARG NODE_IMAGE=([^:]+:(\d+)\S*)/m.exec(read('Dockerfile')) ?? [];
  const PATH = `/usr/bin:/usr/sbin:/bin:/sbin:${process.env.PATH ?? ''}`;
  const env = { PATH, HOME: homedir(), NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt' };
  await engine.run('sh', [join(__dirname, 'base.sh'), engine.folder, base, major], env);
  const build = (name: string, ...rest: string[]): Promise<string> =>
    engine.docker('build', '--quiet', '--network', 'host', '--tag', name, ...rest, ROOT);
  const file = join(__dirname, 'stand-ins.Dockerfile');
  const standIn = ['--file', file, '--build-arg', `BASE=${base}`, '--build-arg', `SHIPPED=${shipped}`, '--target'];
  const others = ['redis', 'balancer'].flatMap((name) => ['--tag', SERVICES[name]?.image ?? '']);
  await Promise.all([build(shipped), build('stand-in', ...others, ...standIn, 'stand-in')]);
  await build('unit', ...standIn, 'unit');
}
