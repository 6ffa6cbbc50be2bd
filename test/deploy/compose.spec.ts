import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/config/settings';
import { json, status } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { useFolder } from '../support/folder';
import { proxied } from '../support/proxied';
import { exitCodeOf, read } from './support/files';
import { COMPOSE } from './support/manifests';

const { services } = COMPOSE;
const { balancer, sandbox } = services;
const REPLICAS = ['service-1', 'service-2', 'service-3'];
const SERVERS = read('deploy/haproxy/compose.cfg');

// That it starts, and that its parts find each other, is seen by `npm run test:deploy`.
describe('the compose file', () => {
  it('starts three replicas alike, under the name and the ports that the balancer knows', () => {
    const [first, ...others] = REPLICAS.map((name) => services[name]);
    expect(others).toEqual([first, first]);
    const [, name, port, management] = /^ *server-template .* (\S+):(\d+) check port (\d+) /m.exec(SERVERS) ?? [];
    expect([first.networks.default.aliases, first.environment.MANAGEMENT_PORT]).toEqual([[name], management]);
    expect(Number(port)).toBe(readSettings({}).port);
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

const { folder } = useFolder();

it('D87 deploy/upgrade.sh works in a folder with a blank in its name', () => {
  const deploy = join(folder, 'my services', 'deploy');
  mkdirSync(deploy, { recursive: true });
  writeFileSync(join(deploy, 'upgrade.sh'), read('deploy/upgrade.sh'));
  // Docker of the test: each container is healthy, and each command of compose is written with its folder.
  const docker = '#!/bin/sh\ncase $1 in inspect) echo healthy ;; *) echo "$*" >>commands ;; esac\n';
  writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH ?? ''}` };
  const output = execFileSync('sh', [join(deploy, 'upgrade.sh')], { cwd: folder, env, encoding: 'utf8' });
  expect(output).toBe(REPLICAS.map((name) => `${name} is healthy\n`).join(''));
  expect(readFileSync(join(deploy, 'commands'), 'utf8')).toMatch(/^compose up .* service-1\ncompose ps /);
});
