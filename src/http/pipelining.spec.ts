import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '../../test/support/operations';
import { boundPipelining } from './pipelining';

describe('boundPipelining', () => {
  let server: Server;
  let started: ServerResponse[];
  let most: number;
  let active: number;
  const clients: Socket[] = [];

  async function start(maxWaiting: number): Promise<void> {
    started = [];
    most = active = 0;
    const listener = boundPipelining((_, response) => {
      active += 1;
      most = Math.max(most, active);
      response.once('finish', () => (active -= 1));
      started.push(response);
    }, maxWaiting);
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function flood(requests: number): Promise<{ client: Socket; received: () => number }> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client);
    let text = '';
    client.on('data', (bytes: Buffer) => (text += bytes.toString()));
    client.on('error', () => undefined);
    await once(client, 'connect');
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
    return { client, received: () => text.split('HTTP/1.1 200').length - 1 };
  }

  it('D34 runs 32 requests of a connection at the same time, and all of them in the end', async () => {
    await start(100_000);
    const { received } = await flood(5_000);
    await eventually(() => started.length === 32);
    // Out of order, so that Node writes and resumes reading in between.
    for (let done = 0; done < 5_000; done += 1) {
      await eventually(() => started.length > 0);
      (started.length > 1 && done % 2 === 0 ? started.pop() : started.shift())?.end('x');
    }
    await eventually(() => received() === 5_000);
    expect(most).toBe(32);
  });

  it('D34 reads no more of a connection than a chunk ahead', async () => {
    await start(100_000);
    const { client } = await flood(200_000);
    const connections = await connectionsOf(server);
    await eventually(() => started.length === 32 && client.writableLength > 0);
    started[31]?.end('x');
    const answered = await flood(1);
    await eventually(() => started.length === 33);
    started[32]?.end('x');
    await eventually(() => answered.received() === 1);
    expect([client.writableLength > 1_000_000, connections]).toEqual([true, 1]);
  });

  it('D34 closes the connection with which too many requests wait; others are served', async () => {
    await start(100);
    const { client } = await flood(5_000);
    await eventually(() => client.destroyed);
    const { received } = await flood(1);
    await eventually(() => started.length === 33);
    started[32]?.end('x');
    await eventually(() => received() === 1);
    // Those that waited are forgotten with their connection.
    const next = await flood(132);
    await eventually(() => started.length === 65);
    expect(next.client.destroyed).toBe(false);
  });
});

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
}
