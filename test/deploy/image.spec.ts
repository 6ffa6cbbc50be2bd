import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { refusedUrl } from '../support/free-port';
import { proxied } from '../support/proxied';
import { RunningService } from '../support/service';
import { exitCodeOf, PACKAGE, read } from './support/files';

const SOURCE = read('Dockerfile').replace(/\\\n\s*/g, '');

/** What stands after an instruction, wherever it stands. */
function textsOf(instruction: string): string[] {
  return [...SOURCE.matchAll(new RegExp(`^\\s*${instruction} (.*)$`, 'gm'))].map(([, text]) => String(text));
}

/** The command of an instruction in exec form, which needs no shell. */
function commandOf(instruction: string): string[] {
  return JSON.parse(/\[.*\]$/.exec(textsOf(instruction).at(-1) ?? '')?.[0] ?? 'null') as string[];
}

describe('the image', () => {
  it('starts the service as npm start does, by Node itself, which gets SIGTERM and opens no port on SIGUSR1', () => {
    const [program, ...rest] = commandOf('CMD');
    const options = ['--disable-sigusr1', '--heapsnapshot-signal=SIGUSR2', '--diagnostic-dir=/tmp'];
    expect(rest.slice(0, -1)).toEqual(options);
    expect([program, rest.at(-1)].join(' ')).toBe(PACKAGE.scripts.start);
    expect(textsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('has one Node of an exact version that the service supports, and production packages of the lock file', () => {
    const [, version = '', major = ''] = /^NODE_IMAGE=node:((\d+)\.\d+\.\d+)-\w+/.exec(textsOf('ARG').join()) ?? [];
    expect(PACKAGE.engines.node).toContain(`^${major}.`);
    // It is that of developers and of the checks.
    expect(read('.node-version')).toBe(`${version}\n`);
    expect(read('.github/workflows/checks.yml')).toContain(`image: node:${version}-bookworm\n`);
    expect(new Set(textsOf('FROM').map((text) => text.split(' ')[0]))).toEqual(new Set(['${NODE_IMAGE}']));
    expect(SOURCE).not.toMatch(/npm (install|i)\b/);
    expect(SOURCE).toMatch(/npm ci --omit=dev .*--from=dependencies \S+node_modules/s);
  });

  it.each<[string, Record<string, string>]>([
    ['the main port', {}],
    ['a management port', { MANAGEMENT_PORT: '0' }],
    ['another address', { HOST: '127.0.0.2' }],
    ['all addresses of IPv6', { HOST: '::', MANAGEMENT_PORT: '0' }],
  ])('D25 D27 D76 its health check, without a proxy: %s', async (_, env) => {
    const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: await refusedUrl(), ...env });
    const management = env.MANAGEMENT_PORT && { MANAGEMENT_PORT: new URL(service.managementUrl).port };
    const proxy = await ScriptedUpstream.start();
    const variables = { ...env, PORT: new URL(service.url).port, ...management, ...proxied(proxy.url) };
    const check = commandOf('HEALTHCHECK[^[]*CMD');
    try {
      expect(await exitCodeOf(check, variables)).toBe(0);
    } finally {
      await service.close();
    }
    expect(await exitCodeOf(check, variables)).toBe(1);
    expect(proxy.calls).toEqual([]);
    await proxy.close();
  });
});
