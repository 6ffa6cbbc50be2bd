import { closesBeforeHeaders, neverResponds, resetsBeforeHeaders, stallsMidBody } from './connection-faults';
import { empty, json, status } from './responses';
import { refusedUrl } from './refused-url';
import { ScriptedUpstream } from './scripted-upstream';
import { WireClient } from './wire-client';

const COMPLETE = (text: string): boolean => text.includes('\r\n\r\n');

describe('ScriptedUpstream', () => {
  let upstream: ScriptedUpstream;
  const clients: WireClient[] = [];

  beforeEach(async () => {
    upstream = await ScriptedUpstream.start();
  });

  afterEach(async () => {
    clients.splice(0).forEach((client) => {
      client.leave();
    });
    await upstream.close();
  });

  function connect(): WireClient {
    const client = WireClient.to(upstream.url);
    clients.push(client);
    return client;
  }

  async function statusOf(target = '/'): Promise<string> {
    const { head } = await connect().get(target, { Connection: 'close' }).response();
    return head.split(' ')[1] ?? '';
  }

  it('responds 501 until something is scripted', async () => {
    expect(await statusOf()).toBe('501');
  });

  it('uses up what is enqueued, in order, before what is the default', async () => {
    upstream.respondWith(empty(200));
    upstream.respondOnce(empty(201));
    upstream.enqueue(empty(202), () => empty(203));
    expect([await statusOf(), await statusOf(), await statusOf(), await statusOf()]).toEqual([
      '201',
      '202',
      '203',
      '200',
    ]);
  });

  it('lets a script look at the call and take its time', async () => {
    upstream.respondWith(async (call) => {
      await Promise.resolve();
      return call.path === '/lost' ? status(404) : empty(200);
    });
    expect(await statusOf('/lost')).toBe('404');
    expect(await statusOf('/found')).toBe('200');
  });

  it('records a call exactly as it stood on the wire', async () => {
    const { ending } = await connect()
      .get('/base/shippings/paged?SearchTerm=a%2Fb+c&PageNumber=1', { 'X-Request-Id': 'R1', connection: 'close' })
      .response();
    expect(ending).toBe('FIN');
    const [call] = upstream.calls;
    expect(call).toMatchObject({
      method: 'GET',
      target: '/base/shippings/paged?SearchTerm=a%2Fb+c&PageNumber=1',
      path: '/base/shippings/paged',
      query: 'SearchTerm=a%2Fb+c&PageNumber=1',
      headers: { host: 'upstream', 'x-request-id': 'R1' },
      rawHeaders: [
        ['Host', 'upstream'],
        ['X-Request-Id', 'R1'],
        ['connection', 'close'],
      ],
    });
    expect(call?.params.get('SearchTerm')).toBe('a/b c');
  });

  it('joins repeated headers and has an empty query where there is none', async () => {
    await connect().send('GET /x HTTP/1.1\r\nA: 1\r\na: 2\r\nConnection: close\r\n\r\n').response();
    expect(upstream.calls[0]).toMatchObject({ path: '/x', query: '', headers: { a: '1, 2' } });
  });

  it('keeps connections open, tells them apart, and serves pipelined requests in order', async () => {
    upstream.enqueue(json(1), json(2), json(3));
    const text = await connect()
      .get('/1')
      .get('/2')
      .receives((received) => received.endsWith('\r\n\r\n2'));
    expect(text.match(/\r\n\r\n\d/g)).toEqual(['\r\n\r\n1', '\r\n\r\n2']);
    await connect().get('/3').receives(COMPLETE);
    expect(upstream.calls.map((call) => call.path)).toEqual(['/1', '/2', '/3']);
    const [first, second, third] = upstream.calls.map((call) => call.socketId);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    expect(upstream.openSockets()).toBe(2);
  });

  it('uses up no script for requests behind one whose connection has been broken', async () => {
    upstream.enqueue(closesBeforeHeaders(), json('next'));
    await connect().get('/1').get('/2').response();
    const { body } = await connect().get('/3', { Connection: 'close' }).response();
    expect(body.toString()).toBe('"next"');
  });

  it('reports how a call ended', async () => {
    upstream.enqueue(json(), resetsBeforeHeaders(), stallsMidBody(), neverResponds());
    await statusOf();
    await connect().get().ending;
    const leaving = connect().get();
    await leaving.receives(COMPLETE);
    leaving.leave();
    await upstream.until(() => upstream.calls[2]?.aborted === true);
    connect().get();
    await upstream.waitForCalls(4);
    upstream.hangUp();
    expect(await Promise.all(upstream.calls.map((call) => call.outcome))).toEqual([
      'finished',
      'finished',
      'aborted',
      'closed',
    ]);
    expect(upstream.calls.map((call) => call.aborted)).toEqual([false, false, true, false]);
  });

  it('ends the call of a client that disconnects while a script still waits', async () => {
    upstream.respondWith(() => new Promise(() => undefined));
    const client = connect().get();
    await upstream.waitForCalls(1);
    expect(upstream.calls[0]?.settled).toBe(false);
    client.leave();
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
  });

  it('counts the calls under way, and the most there were', async () => {
    upstream.respondWith(neverResponds());
    const three = [connect().get(), connect().get(), connect().get()];
    await upstream.waitForCalls(3);
    expect(upstream.inFlight()).toBe(3);
    three[0]?.leave();
    await upstream.until(() => upstream.inFlight() === 2 && upstream.openSockets() === 2);
    expect(upstream.maxInFlight).toBe(3);
  });

  it('forgets calls, counts and scripts on reset', async () => {
    upstream.respondWith(empty(200));
    upstream.enqueue(empty(202), empty(202));
    await statusOf();
    upstream.reset();
    expect(upstream.calls).toEqual([]);
    expect(upstream.maxInFlight).toBe(0);
    expect(await statusOf()).toBe('501');
  });

  it('reports what it waited for in vain', async () => {
    await expect(upstream.waitForCalls(2, 10)).rejects.toThrow('Waited for 10 ms: 0 of 2 calls came');
    await expect(upstream.until(() => false, 10)).rejects.toThrow('the condition never held');
  });

  it('hangs up on all clients and still takes new ones', async () => {
    upstream.enqueue(neverResponds());
    const client = connect().get();
    await upstream.waitForCalls(1);
    upstream.hangUp();
    expect(await client.ending).toMatch(/FIN|ECONNRESET/);
    expect(await statusOf()).toBe('501');
  });

  it('closes at once whatever is under way, and its port can be used again', async () => {
    upstream.respondWith(stallsMidBody());
    const client = connect().get();
    await client.receives(COMPLETE);
    await upstream.close();
    expect(upstream.openSockets()).toBe(0);
    await upstream.close();
    upstream = await ScriptedUpstream.start({ port: upstream.port });
    expect(await statusOf()).toBe('501');
  });

  it('reports what a script threw when it is closed, and breaks the connection', async () => {
    upstream.respondWith(() => {
      throw new Error('a mistake in the test');
    });
    expect(await connect().get().ending).toBe('ECONNRESET');
    await expect(upstream.close()).rejects.toMatchObject({ errors: [new Error('a mistake in the test')] });
  });

  it('responds 400 to what is no request for data', async () => {
    const { head, ending } = await connect().send('POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}').response();
    expect([head.split('\r\n')[0], ending]).toEqual(['HTTP/1.1 400 Bad Request', 'FIN']);
    expect(upstream.calls).toEqual([]);
  });
});

describe('refusedUrl', () => {
  it('is a URL on which nothing listens', async () => {
    expect(await WireClient.to(await refusedUrl()).ending).toBe('ECONNREFUSED');
  });
});
