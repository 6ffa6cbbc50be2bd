import { setTimeout as pause } from 'node:timers/promises';
import { resetsBeforeHeaders } from '../../testing/upstream/connection-faults';
import { delayed, validResponse } from '../../testing/upstream/responses';
import { checkEqual, checkNone, checkWithin, runProgram } from '../checks';
import { playUnderLoad, type Scenario } from '../scenario';
import { Cluster, READY_AT, SMALL, SMALL_BOUND } from './cluster';

/**
 * Runs three replicas of the built service behind HAProxy with the deployed configuration, and checks every response
 * under steady load. Exits with 1 where a response is not allowed.
 */

const DOWN = /Server replicas\/replica-\d is DOWN/g;

const SCENARIOS: readonly Scenario<Cluster>[] = [
  {
    done: 'a replica that was missing at the start of the balancer is started',
    holds: 'no failed response, and it takes part',
    play: async (cluster) => {
      await cluster.startReplica('127.0.0.6', SMALL);
      await expectPart(cluster, SMALL);
    },
  },
  {
    done: 'all replicas are replaced at their addresses, one after the other',
    holds: 'no failed response, each ends with 0',
    play: async (cluster) => {
      for (const [index, replica] of cluster.replicas.entries()) {
        await expectEnd(cluster, index);
        await replica.startAgain();
        await expectPart(cluster, index);
      }
    },
  },
  {
    done: 'all replicas are replaced at other addresses, one after the other',
    holds: 'no failed response, each ends with 0',
    play: async (cluster) => {
      for (const index of [...cluster.replicas.keys()]) {
        await expectEnd(cluster, index);
        cluster.publish();
        await cluster.startReplica(`127.0.0.${index + 1}`, index);
        await expectPart(cluster, index);
      }
    },
  },
  {
    done: 'a replica is killed, and started again after three seconds',
    holds: 'no failed response',
    play: async (cluster) => {
      await cluster.replica(0).stop('SIGKILL');
      await pause(3000);
      await cluster.replica(0).startAgain();
      await expectPart(cluster, 0);
    },
  },
  {
    done: 'a replica hangs (SIGSTOP), and goes on later',
    holds: 'no failed response: its requests are sent to another one',
    mayBeLate: true,
    play: async (cluster) => {
      const { pid } = cluster.replica(1);
      await cluster.expectLogged('the balancer notices it', DOWN, () => process.kill(pid, 'SIGSTOP'));
      await pause(2000);
      process.kill(pid, 'SIGCONT');
      await expectPart(cluster, 1);
    },
  },
  {
    done: 'the balancer reloads its configuration three times, while names need half a second',
    holds: 'no failed response',
    play: async (cluster) => {
      cluster.names.delayMs = 500;
      const reload = (): boolean => process.kill(cluster.balancer.pid, 'SIGUSR2');
      for (let times = 0; times < 3; times += 1) {
        const ended = /Former worker \(\d+\) exited with code 0/g;
        await cluster.expectLogged('the former worker ends with 0', ended, reload);
      }
      cluster.names.delayMs = 0;
    },
  },
  {
    done: 'the name server forgets all replicas for three seconds, and then does not respond for three',
    holds: 'no failed response',
    play: async ({ names }) => {
      const { addresses } = names;
      names.addresses = [];
      await pause(3000);
      names.addresses = addresses;
      names.delayMs = 3000;
      await pause(3000);
      names.delayMs = 0;
    },
  },
  {
    done: 'a replica is overloaded for three seconds',
    holds: 'no failed response: other replicas get its requests',
    play: async (cluster) => {
      // On a busy machine, the balancer may not have found it again since the scenario before.
      await expectPart(cluster, SMALL);
      cluster.upstream.respondWith((call) =>
        call.params.get('OrderId') === 'HELD' ? delayed(3000, validResponse(call)) : validResponse(call),
      );
      const path = `${cluster.replica(SMALL).url}/api/Shipping/GetShippingDetails?OrderId=HELD`;
      const hold = (): Promise<unknown> =>
        Promise.all(Array.from({ length: 2 * SMALL_BOUND }, async () => (await fetch(path)).arrayBuffer()));
      const sentToOthers = /"status":200,.*"retries":"\+/g;
      const before = await cluster.logged(sentToOthers);
      await hold();
      // On a busy machine, none of the balancer's requests may come in these three seconds.
      await checkWithin('the balancer has sent its requests to others', async () => {
        if ((await cluster.logged(sentToOthers)) > before) return true;
        await hold();
        return false;
      });
    },
  },
  {
    done: 'one operation of the external system fails',
    holds: 'no replica is taken out: strict clients of that operation get 503 from the service, nobody else does',
    allows: ({ path, strict, status, what }) =>
      path.includes('Details') && status === (strict ? 503 : 200) && /^(upstream|circuit)-/.test(what),
    play: async (cluster) => {
      const before = await cluster.logged(DOWN);
      cluster.upstream.respondWith((call) =>
        call.path.endsWith('details') ? resetsBeforeHeaders() : validResponse(call),
      );
      await pause(3000);
      checkEqual('no replica is down', await cluster.logged(DOWN), before);
    },
  },
];

async function main(): Promise<void> {
  const cluster = await Cluster.start();
  const alone = await fetch(`${cluster.url}/api/Shipping/GetShippingDetails`);
  const { code } = (await alone.json()) as { readonly code: string };
  const found = `${alone.status} ${code} ${alone.headers.get('retry-after')}`;
  checkEqual('the balancer starts without a replica', found, '503 no-replica 1');
  for (const host of ['127.0.0.4', '127.0.0.5']) await cluster.startReplica(host);
  await checkWithin('it finds those that start', async () => (await fetch(cluster.url + READY_AT)).ok);
  for (const scenario of SCENARIOS) await playUnderLoad(cluster, scenario);
  for (const [path, expected] of Object.entries({ '/health/live': 200, '/metrics': 404 })) {
    const { status } = await fetch(cluster.url + path);
    checkEqual(`${path} of the balancer is ${expected}`, status, expected);
  }
  for (const { name, output } of [cluster.balancer, ...cluster.replicas]) {
    const clientText = output === '' ? ['it logs nothing'] : /SearchTerm|TrackingNumber|ORD-|TRK-/.exec(output);
    checkNone(`${name} logs nothing that clients sent`, clientText ?? []);
  }
}

async function expectEnd(cluster: Cluster, index: number): Promise<void> {
  const replica = cluster.replica(index);
  checkEqual(`${replica.name} ends with 0`, await replica.stop(), 0);
}

function expectPart(cluster: Cluster, index: number): Promise<void> {
  const { name, url } = cluster.replica(index);
  return cluster.expectServed(name, new URL(url).host);
}

void runProgram(main);
