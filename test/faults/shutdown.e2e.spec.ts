import { Injectable, Module, type Type } from '@nestjs/common';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExternalShippingGateway, GatewayModule, jobContext } from '../../src';
import type { UpstreamOperation } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { eventually } from '../../testing/upstream/eventually';
import { wireList } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { startScriptedService } from '../support/service';
import { CLEAN_EXIT } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

const PUPPET = join(__dirname, 'support/puppet.js');
const TYPESCRIPT_HOOK = join(__dirname, '../support/register-swc.js');
const NAMESPACE = ['--pid', '--fork', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;

const JOB: UpstreamOperation = { name: 'job', path: () => '/jobs' };
/** What the hooks of teams have seen: their names, the signal, and the result of a call. */
const seen: unknown[] = [];

/** A job that ends when the application does, and calls the gateway to do so. */
function jobModule(name: string, imports: Type[]): Type {
  @Injectable()
  class Job {
    constructor(private readonly gateway: ExternalShippingGateway) {}

    onModuleDestroy(): Promise<void> {
      return this.finish('destroy');
    }

    beforeApplicationShutdown(signal?: string): Promise<void> {
      return this.finish('before', signal);
    }

    onApplicationShutdown(signal?: string): Promise<void> {
      return this.finish('shutdown', signal);
    }

    private async finish(hook: string, signal?: string): Promise<void> {
      // The hooks of other modules may all have finished by now.
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const { completeness } = await this.gateway.list({ operation: JOB }, jobContext());
      seen.push(`${name} ${hook} ${signal ?? '-'} ${completeness.level}`);
    }
  }
  @Module({ imports: [GatewayModule, ...imports], providers: [Job] })
  class JobModule {}
  return JobModule;
}

const processes = useServiceProcesses();

it('D27 hooks of teams get the signal, and may call the gateway', async () => {
  const deepest = jobModule('deepest', []);
  const deep = jobModule('deep', [deepest]);
  const scripted = await startScriptedService({}, { imports: [jobModule('top', [deep])] });
  scripted.upstream.respondWith(json(wireList()));
  const app: { close(signal?: string): Promise<void> } = scripted.service.app;
  await app.close('SIGTERM');
  const hooks = ['destroy -', 'before SIGTERM', 'shutdown SIGTERM'];
  const expected = ['top', 'deep', 'deepest'].flatMap((name) => hooks.map((hook) => `${name} ${hook} complete`));
  expect([...seen].sort()).toEqual(expected.sort());
  await eventually('open connections to the external system', () => scripted.upstream.openSockets(), 0);
  await scripted.upstream.close();
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('D27 %s while it is loaded ends it with 0', async (signal) => {
  const service = processes.spawn({}, { preload: [PUPPET] });
  await service.until(() => service.messages.some((message) => 'loads' in message), 'loads');
  expect(await service.stop(signal)).toEqual(CLEAN_EXIT);
  expect(service.stderr).toBe('');
});

(hasNamespaces ? it : it.skip)('D27 SIGTERM ends process 1 with 0 while it is loaded', async () => {
  const program = [process.execPath, '--require', TYPESCRIPT_HOOK, '--require', PUPPET, 'src/main.ts'];
  const outer: ChildProcess = spawn('unshare', [...NAMESPACE, '--kill-child', ...program], {
    cwd: join(__dirname, '../..'),
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', EXTERNAL_SHIPPING_BASE_URL: processes.upstream.url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(outer, 'exit');
  await new Promise<void>((resolve) => {
    outer.on('message', (message: object) => {
      if ('loads' in message) resolve();
    });
  });
  const inner = Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8'));
  process.kill(inner, 'SIGTERM');
  expect(await exit).toEqual([0, null]);
});
