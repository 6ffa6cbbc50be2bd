import { setTimeout as pause } from 'node:timers/promises';
import { resetsBeforeHeaders } from '../../testing/upstream/connection-faults';
import { delayed, soundReply } from '../../testing/upstream/responses';
import { Checks, runProgram } from '../checks';
import { playUnderLoad, type Scenario } from '../scenario';
import type { ServerProcess } from '../server-process';
import { Cluster, SMALL, SMALL_BOUND } from './cluster';

/**
 * Runs three replicas of the built service behind HAProxy with the deployed configuration, and checks every response
 * under steady load. Exits with 1 where a response is not allowed.
 */

type ClusterScenario = Omit<Scenario, 'play'> & { readonly play: (cluster: Cluster) => Promise<void> };

const DOWN = /Server replicas\/replica-\d is DOWN/g;

const SCENARIOS: readonly ClusterScenario[] = [
  {
    done: 'a replica that was missing at the start of the balancer is started',
    holds: 'no failed response, and it takes part',
    play: async (cluster) => {
      await cluster.startReplica('127.0.0.6', SMALL);
      await expectPart(cluster, 2);
    },
  },
  {
    done: 'all replicas are replaced at their addresses, one after the other',
    holds: 'no failed response, each ends with 0',
    play: async (cluster) => {
      for (const [index, replica] of cluster.replicas.entries()) {
        await expectEnd(replica);
        await replica.startAgain();
        await expectPart(cluster, index);
      }
    },
  },
  {
    done: 'all replicas are replaced at other addresses, one after the other',
    holds: 'no failed response, each ends with 0',
    play: async (cluster) => {
      for (const [index, replica] of [...cluster.replicas].entries()) {
        await expectEnd(replica);
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
      const replica = cluster.replica(0);
      await replica.stop('SIGKILL');
      await pause(3000);
      await replica.startAgain();
      await expectPart(cluster, 0);
    },
  },
  {
    done: 'a replica hangs (SIGSTOP), and goes on later',
    holds: 'no failed response: its requests are sent to another one',
    mayBeLate: true,
    play: async (cluster) => {
      const { pid } = cluster.replica(1);
      const isDown = await cluster.untilLogged(DOWN, () => process.kill(pid, 'SIGSTOP'));
      checks.expect('the balancer notices it', isDown, 'not within a minute');
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
      for (let times = 0; times < 3; times += 1) {
        const reload = (): boolean => process.kill(cluster.balancer.pid, 'SIGUSR2');
        const hasReloaded = await cluster.untilLogged(/Former worker \(\d+\) exited with code 0/g, reload);
        checks.expect('the former worker ends with 0', hasReloaded, 'not within a minute');
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
      cluster.upstream.respondWith((call) =>
        call.params.get('OrderId') === 'HELD' ? delayed(3000, soundReply(call)) : soundReply(call),
      );
      const small = cluster.replica(SMALL);
      const sentAgain = (): number => cluster.logged(/"status":200,.*"retries":"\+/g);
      const before = sentAgain();
      const held = Array.from({ length: 2 * SMALL_BOUND }, () =>
        fetch(`${small.url}/api/Shipping/GetShippingDetails?OrderId=HELD`),
      );
      await Promise.all(held.map(async (sent) => (await sent).arrayBuffer()));
      checks.expect('the balancer has sent its requests to others', sentAgain() > before, 'none');
    },
  },
  {
    done: 'one operation of the external system fails',
    holds: 'no replica is taken out: strict clients of that operation get 503 from the service, nobody else does',
    allows: ({ path, strict, status, what }) =>
      path.includes('Details') && status === (strict ? 503 : 200) && /^(upstream|circuit)-/.test(what),
    play: async (cluster) => {
      const before = cluster.logged(DOWN);
      cluster.upstream.respondWith((call) =>
        call.path.endsWith('details') ? resetsBeforeHeaders() : soundReply(call),
      );
      await pause(3000);
      checks.expect('no replica is down', cluster.logged(DOWN) === before, String(cluster.logged(DOWN) - before));
    },
  },
];

const checks = new Checks();

async function main(): Promise<void> {
  const cluster = await Cluster.start();
  try {
    const alone = await fetch(`${cluster.balancer.url}/api/Shipping/GetShippingDetails`);
    const { code } = (await alone.json()) as { readonly code: string };
    const found = `${alone.status} ${code} ${String(alone.headers.get('retry-after'))}`;
    checks.expect('the balancer starts without a replica', found === '503 no-replica 1', found);
    await cluster.startReplica('127.0.0.4');
    await cluster.startReplica('127.0.0.5');
    checks.expect('it finds those that start', await cluster.responds(), 'not within a minute');
    const target = { url: cluster.balancer.url, log: () => Promise.resolve(cluster.balancer.output) };
    for (const scenario of SCENARIOS) {
      await playUnderLoad(checks, target, { ...scenario, play: () => scenario.play(cluster) });
    }
    for (const [path, expected] of Object.entries({ '/health/live': 200, '/metrics': 404 })) {
      const { status } = await fetch(cluster.balancer.url + path);
      checks.expect(`${path} of the balancer is ${expected}`, status === expected, String(status));
    }
    for (const { name, output } of [cluster.balancer, ...cluster.replicas]) {
      const clientText = /SearchTerm|TrackingNumber|ORD-|TRK-/.exec(output)?.[0];
      checks.expect(
        `${name} logs nothing that clients sent`,
        clientText === undefined && output !== '',
        String(clientText),
      );
    }
  } finally {
    await cluster.stop();
  }
}

async function expectEnd(replica: ServerProcess): Promise<void> {
  const code = await replica.stop();
  checks.expect(`${replica.name} ends with 0`, code === 0, String(code));
}

async function expectPart(cluster: Cluster, index: number): Promise<void> {
  const replica = cluster.replica(index);
  checks.expect(`${replica.name} takes part`, await cluster.takesPart(replica), 'not within a minute');
}

void runProgram(checks, main);
