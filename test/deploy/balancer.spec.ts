import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../testing/upstream/eventually';
import { type Gateway, HAPROXY } from '../support/gateway';
import { CONFIGURATION, PROXY, startBalancer } from './support/balancer';
import { read } from './support/files';
import { NameServer } from './support/name-server';

const BOUND = Number(/CONNECTIONS_PER_ADDRESS (\d+)/.exec(CONFIGURATION)?.[1]);
/** On a busy machine, the first of many connections must not be closed before the last is opened. */
const PATIENT = { 'KEEP_ALIVE 15s': 'KEEP_ALIVE 1h', 'http-request 10s': 'http-request 1h', 'client 30s': 'client 1h' };
/** Requests in progress of one address. */
const REQUESTS = 256;
const OPERATION = '/api/Shipping/GetShippingDetails';
const [CLIENT, MANY] = ['127.0.0.4', '127.0.0.5'];

type Place = Pick<Gateway, 'url'>;

/**
 * A replica whose operations respond, with 503 where the search is `failed`, and never where it is `held`. It is overloaded
 * the first time that a search is `refused`. The check gets no answer while `isSilent`.
 */
class Replica {
  isSilent = false;
  held = 0;
  private refused = 0;
  private readonly server: Server = createServer((request, response) => {
    const { url = '', headers } = request;
    const isRefused = url.includes('refused') && (this.refused += 1) === 1;
    if (isRefused || url.includes('failed')) response.statusCode = 503;
    // As the service does: a balancer that asks for it gets a closed connection instead of a 503.
    if (isRefused && headers['shipping-overload'] === 'close') request.destroy();
    else if (url.includes('held')) this.held += 1;
    else if (url !== '/health/ready' || !this.isSilent)
      response.setHeader('Keep-Alive', 'timeout=72').end(String(headers['x-forwarded-for']));
  });

  static async start(): Promise<Replica> {
    const replica = new Replica();
    await once(replica.server.listen(0, '127.0.0.1'), 'listening');
    return replica;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Opens a connection of a client, and sends a text. */
function open({ url }: Place, text: string, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  // The balancer resets those that it refuses.
  socket.on('error', () => undefined).write(text);
  return socket;
}

/** What the balancer answers to one request, headers and body; nothing where it closes the connection. */
async function answerTo(place: Place, path: string, address: string, headers = ''): Promise<string> {
  const socket = open(place, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`, address);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
}

(existsSync(HAPROXY) ? describe : describe.skip)('the balancer', () => {
  let balancer: Awaited<ReturnType<typeof startBalancer>>;
  let replica: Replica;
  let sockets: Socket[] = [];

  async function start(changes?: Readonly<Record<string, string>>, names?: NameServer): Promise<void> {
    replica = await Replica.start();
    balancer = await startBalancer(replica.url, changes, names);
  }

  /** Opens connections that send a text. */
  function fill(count: number, text: string, address = MANY): void {
    // The end of a connection is seen only where its responses are read.
    sockets = Array.from({ length: count }, () => open(balancer, text, address).resume());
  }

  const openOnes = (): number => sockets.filter(({ closed, connecting }) => !closed && !connecting).length;

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await balancer.close();
    replica.close();
  });

  it.each([
    ['one request each, then nothing', `GET ${OPERATION} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['HTTP/1.0', `GET ${OPERATION} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`],
    ['half a request', `GET ${OPERATION} HTTP/1.1\r\nHos`],
    ['nothing', ''],
  ])('D87 one address cannot take all connections: %s', async (_, text) => {
    await start(PATIENT);
    fill(BOUND + 40, text);
    const areConnected = (): boolean => sockets.every(({ connecting }) => !connecting);
    // The balancer also closes a connection with HTTP/1.0 after a 429.
    await eventually('those beyond the bound are closed', () => areConnected() && openOnes() <= BOUND);
    const answer = await answerTo(balancer, OPERATION, CLIENT);
    expect(answer).toContain('200 OK');
    // Clients would believe it, and lose requests on connections that the balancer closes earlier.
    expect(answer).not.toMatch(/keep-alive/i);
    expect(openOnes()).toBeGreaterThan(0);
  });

  it('D87 behind another balancer, the bound is that of requests, by the address of the client', async () => {
    await start({ 'REPLICA_TIMEOUT 8s': 'REPLICA_TIMEOUT 1h' });
    const request = `GET ${OPERATION}?held HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1, 2.2.2.2\r\n\r\n`;
    fill(BOUND + 40, request, PROXY);
    const answered = (): number => sockets.filter(({ bytesRead }) => bytesRead > 0).length;
    await eventually('those beyond the bound are answered', () => answered() === BOUND + 40 - REQUESTS);
    await eventually('the others reach the replica', () => replica.held === REQUESTS);
    expect(openOnes()).toBe(BOUND + 40);
    const answerFor = (addresses: string, from = PROXY): Promise<string> =>
      answerTo(balancer, OPERATION, from, `X-Forwarded-For: ${addresses}\r\n`);
    expect(await answerFor('2.2.2.2')).toContain('429 Too Many');
    expect(await answerFor('2.2.2.2, 3.3.3.3')).toMatch(/\n3\.3\.3\.3$/);
    // Only the balancer in front is believed.
    expect(await answerFor('3.3.3.3', CLIENT)).toContain(`\n${CLIENT}`);
  });

  it('D87 clients cannot take the connections of the check and the metrics', async () => {
    await start({ 'maxconn 4096': 'maxconn 64', ...PATIENT });
    fill(64, `GET ${OPERATION} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await eventually('all connections are taken', () => sockets.every(({ bytesRead }) => bytesRead > 0));
    const late = open(balancer, `GET ${OPERATION} HTTP/1.1\r\nHost: a\r\n\r\n`, CLIENT);
    sockets.push(late);
    for (const path of ['/health/live', '/metrics']) {
      expect(await answerTo(balancer.metrics, path, '127.0.0.1')).toContain('200 OK');
    }
    expect(late.bytesRead).toBe(0);
  });

  it('D87 has the metrics that its alerts and panels read, with their labels', async () => {
    await start();
    const panels = read('deploy/grafana/shipping-query-service.json').replaceAll('\\"', '"');
    const selectors = (read('deploy/prometheus/alerts.yaml') + panels).match(/haproxy_\w+\{.*?\}/g) ?? [];
    const series = (await answerTo(balancer.metrics, '/metrics', '127.0.0.1')).match(/^haproxy_.*/gm) ?? [];
    expect(selectors).not.toEqual([]);
    for (const selector of new Set(selectors)) {
      // The job is that of Prometheus.
      const parts = selector.replace('job="shipping-balancer",', '').match(/^\w+\{|\w+="\w+"/g) ?? [];
      const selected = series.filter((one) => parts.every((part) => one.includes(part)));
      expect([selector, selected]).toEqual([selector, expect.arrayContaining([expect.any(String)])]);
    }
  });

  async function isDown(server: string): Promise<boolean> {
    const status = `haproxy_server_status{proxy="replicas",server="${server}",state="DOWN"} 1`;
    return (await answerTo(balancer.metrics, '/metrics', '127.0.0.1')).includes(status);
  }

  it('D34 D87 what an overloaded replica refuses is sent again; a 503 goes to the client, and takes no replica out', async () => {
    await start();
    await eventually('the two others are down', async () => (await isDown('replica-2')) && (await isDown('replica-3')));
    expect(await answerTo(balancer, `${OPERATION}?refused`, CLIENT)).toContain('200 OK');
    for (let times = 0; times < 10; times += 1) {
      expect(await answerTo(balancer, `${OPERATION}?failed`, CLIENT)).toContain('503 Service Unavailable');
    }
    expect(await isDown('replica-1')).toBe(false);
  });

  it('D87 where the check finds no healthy replica, all are tried', async () => {
    await start();
    replica.isSilent = true;
    await eventually('it is down', () => isDown('replica-1'));
    // The two others refuse connections.
    for (let times = 0; times < 40; times += 1) {
      expect(await answerTo(balancer, OPERATION, CLIENT)).toContain('200 OK');
    }
    expect(await isDown('replica-1')).toBe(true);
  });

  it.each([
    ['a path', OPERATION, OPERATION, OPERATION],
    [
      'a path that is not valid in JSON',
      '/api/Shipping/GetShippingInfoById/Secret"',
      '/',
      '/api/Shipping/GetShippingInfoById/{id}',
    ],
  ])(
    'D87 without any replica, a problem says so, and the log has nothing of the client: %s',
    async (_, path, instance, route) => {
      await start();
      replica.close();
      // Until then, a request may meet the kept connection that has closed, for which HAProxy gives no response.
      await eventually('it is down', () => isDown('replica-1'));
      const headers = 'X-Request-Id: Secret"\r\nUser-Agent: Secret\r\n';
      const answer = await answerTo(balancer, `${path}?SearchTerm=Secret`, CLIENT, headers);
      expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/i);
      expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
      const problem = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as { requestId: string };
      expect(problem).toMatchObject({ status: 503, code: 'no-replica', instance });
      await eventually('the line of the request', () => balancer.log().includes(problem.requestId));
      const line = balancer.log().split('\n').find((text) => text.includes(problem.requestId)) ?? ''; // prettier-ignore
      expect(JSON.parse(line)).toMatchObject({ method: 'GET', route, status: 503 });
      expect(balancer.log()).not.toMatch(/Secret|SearchTerm/);
      const errors = /^haproxy_frontend_http_responses_total\{proxy="operations",code="5xx"\} 1$/m;
      expect(await answerTo(balancer.metrics, '/metrics', '127.0.0.1')).toMatch(errors);
    },
  );

  it('D87 a name server that forgets the replicas, is silent, refuses or fails takes none away', async () => {
    const names = await NameServer.start();
    await start({}, names);
    const answers = async (): Promise<boolean> => (await answerTo(balancer, OPERATION, CLIENT)).includes('200 OK');
    await eventually('the name is known', answers);
    // Without a line `hold`, HAProxy keeps addresses for half a minute.
    const phases = { 'no name': 3000, address: 3000, silence: 33_000, refusal: 5000, failure: 5000 } as const;
    for (const [answer, ms] of Object.entries(phases)) {
      names.answer = answer as NameServer['answer'];
      const end = performance.now() + ms;
      while (performance.now() < end) {
        expect([answer, await answers()]).toEqual([answer, true]);
        await pause(100);
      }
    }
    names.close();
  });
});
