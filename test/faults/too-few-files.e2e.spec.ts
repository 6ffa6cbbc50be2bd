import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { validResponse } from '../../testing/upstream/responses';
import { expectProblem } from '../support/expected';
import { BY_ID, DETAILS, STRICT } from '../support/operations';
import { TokenServer } from '../support/token-server';
import type { ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

const hasPrlimit = spawnSync('prlimit', ['--nofile']).status === 0;
/** More calls than open a circuit, were they failures of the external system. */
const CALLS = 25;

/** Sets how many files the process may have open; those that are open stay so. */
function limitFiles({ pid }: ServiceProcess, limit: number): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** The lowest number that no file of the process has. Where it is the limit, no file can be opened. */
function firstFree({ pid }: ServiceProcess): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let free = 0;
  while (open.has(free)) free += 1;
  return free;
}

(hasPrlimit ? describe : describe.skip)('D57 a process that has too few files', () => {
  const processes = useServiceProcesses();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => {
    agent.destroy();
  });

  async function circuitsOf(service: ServiceProcess): Promise<unknown> {
    return (await service.request('/health/ready', { agent })).json().externalSystem.circuits;
  }

  it('D57 reports itself, not the external system, and opens no circuit', async () => {
    const { upstream } = processes;
    upstream.respondWith(validResponse);
    const service = await processes.start({ EXTERNAL_SHIPPING_BASE_URL: upstream.url });
    const ask = (request: string, headers = {}) => service.request(`/api/Shipping/${request}`, { agent, headers });
    expect(await circuitsOf(service)).toEqual({});

    limitFiles(service, firstFree(service));
    for (let call = 0; call < CALLS; call += 1) {
      const { status, headers } = await ask(DETAILS.request);
      expect([status, headers['shipping-completeness']]).toEqual([200, 'unavailable;reason=internal']);
    }
    for (const request of [DETAILS.request, BY_ID.request]) {
      expectProblem(await ask(request, STRICT), 500, 'internal-error');
    }
    expect([upstream.calls, await circuitsOf(service)]).toEqual([[], { details: 'closed', 'by-id': 'closed' }]);

    limitFiles(service, 1024);
    expect((await ask(DETAILS.request)).headers['shipping-completeness']).toBe('complete');
    const cause = 'no connection could be opened: EMFILE';
    const warned = service.log.filter(({ level, msg }) => level === 40 && msg !== 'request').map(({ msg }) => msg);
    expect(warned).toEqual([`The service failed: details: ${cause}`, `The service failed: by-id: ${cause}`]);
    expect(service.log.find(({ status }) => status === 500)).toMatchObject({ problem: 'internal-error', cause });
  });

  it('D57 opens no circuit without the token endpoint, either', async () => {
    const tokens = await TokenServer.start();
    const service = await processes.start(tokens.env);
    expect(await circuitsOf(service)).toEqual({});
    limitFiles(service, firstFree(service));
    for (let call = 0; call < CALLS; call += 1) {
      const { headers } = await service.request(`/api/Shipping/${DETAILS.request}`, { agent });
      expect(headers['shipping-completeness']).toBe('unavailable;reason=internal');
    }
    expect([tokens.requests, await circuitsOf(service)]).toEqual([[], { details: 'closed' }]);
    const cause = /^The token endpoint issues no access token: no connection could be opened: EMFILE$/;
    expect(service.log).toContainEqual(
      expect.objectContaining({ msg: 'request', cause: expect.stringMatching(cause) }),
    );
    await tokens.close();
  });
});
