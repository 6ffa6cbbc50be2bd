import type { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { useUpstream } from '../../support/started';
import { type ProcessOptions, ServiceProcess } from './service-process';

interface ServiceProcesses {
  readonly upstream: ScriptedUpstream;
  /** Does not wait until the service listens. */
  spawn(env: Record<string, string>, options?: ProcessOptions): ServiceProcess;
  start(env?: Record<string, string>, options?: ProcessOptions): Promise<ServiceProcess>;
}

/** Processes of the service with one scripted external system, for the tests of a suite: each process ends with its test. */
export function useServiceProcesses(): ServiceProcesses {
  const running: ServiceProcess[] = [];
  const upstream = useUpstream();
  afterEach(() => Promise.all(running.splice(0).map((service) => service.kill())));

  return {
    get upstream() {
      return upstream();
    },
    spawn: (env, options) => {
      const service = ServiceProcess.spawn({ EXTERNAL_SHIPPING_BASE_URL: upstream().url, ...env }, options);
      running.push(service);
      return service;
    },
    async start(env = {}, options) {
      const service = this.spawn(env, options);
      await service.until(() => service.url !== '', 'listening');
      return service;
    },
  };
}
