import { eventually, PAGED } from '../support/operations';
import { useScriptedService } from '../support/service';
import { delayed, json } from '../support/upstream/responses';
import { detailsReply, wireRecord } from '../support/upstream/records';
import { exchangeRaw, RawConnection, type RawResponse } from './support/raw-connection';

const HOST = 'Host: service.test\r\n';
const TARGET = '/api/Shipping/GetShippingDetails?Limit=5';
const GOOD = `GET ${TARGET} HTTP/1.1\r\n${HOST}\r\n`;

const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const byId = (id: string, headers = ''): string => get(`/api/Shipping/GetShippingInfoById/${id}`, headers);
const idIn = (answer: RawResponse | undefined): unknown => (JSON.parse(answer?.body ?? '{}') as { id?: unknown }).id;

/** An error as problem+json, on the wire. */
function expectRawProblem(answer: RawResponse | undefined, status: number | readonly number[]): void {
  expect([status].flat()).toContain(answer?.status);
  expect(answer?.headers['content-type']).toEqual([expect.stringMatching(/^application\/problem\+json/)]);
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({
    status: answer?.status,
    requestId: answer?.headers['x-request-id']?.[0],
  });
}

describe('clients that misbehave', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_TIMEOUT_MS: '3000' });
  let url: string;

  beforeAll(() => {
    ({ url } = scripted.service);
  });
  // Whatever happened, another client is served in full, and every log line is one JSON object.
  afterEach(async () => {
    scripted.upstream.respondWith(json());
    await eventually(() => scripted.upstream.inFlight() === 0);
    const answer = await scripted.service.request('GetShippingDetails?Limit=5');
    expect([answer.status, answer.headers['shipping-completeness']]).toEqual([200, 'complete']);
    for (const line of scripted.service.log) {
      expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect(line.trimEnd()).not.toMatch(/[\r\n]/);
    }
  });

  describe('malformed HTTP is 400 as a problem, and the connection is closed', () => {
    it.each([
      ['no HTTP at all', 'hello\r\n\r\n'],
      ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      ['an unknown method', `FETCH ${TARGET} HTTP/1.1\r\n${HOST}\r\n`],
      ['a space in the target', `GET /api/Shipping/Get ShippingDetails HTTP/1.1\r\n${HOST}\r\n`],
      ['an unknown version', `GET ${TARGET} HTTP/9.9\r\n${HOST}\r\n`],
      ['a header without a colon', get(TARGET, 'NoColonHere\r\n')],
      ['a NUL in a header', get(TARGET, 'X-Request-Id: a\0b\r\n')],
      ['a bare CR in a header', get(TARGET, 'X-Request-Id: a\rSet-Cookie: b\r\n')],
      ['a folded header', get(TARGET, 'X-Request-Id: abc\r\n def\r\n')],
      ['two lengths', get(TARGET, 'Content-Length: 1\r\nContent-Length: 2\r\n')],
      ['a length and chunks', get(TARGET, 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n')],
      ['a bad chunk size', `${get(TARGET, 'Transfer-Encoding: chunked\r\n')}zz\r\n`],
      ['no Host', `GET ${TARGET} HTTP/1.1\r\n\r\n`],
      ['two Hosts', get(TARGET, 'Host: other.test\r\nConnection: close\r\n')],
    ])('%s', async (_, bytes) => {
      const connection = await RawConnection.to(url);
      const answers = await connection.send(bytes).receivesAll();
      expectRawProblem(answers.at(-1), 400);
    });
  });

  describe('too much of it', () => {
    it.each([
      ['a header of 20 kB', get(TARGET, `X-Long: ${'x'.repeat(20_000)}\r\n`), [431]],
      ['a target of 20 kB', get(`${TARGET}&SearchTerm=${'x'.repeat(20_000)}`), [414, 431]],
      ['a target of 10 MB', get(`/${'x'.repeat(10_000_000)}`), [414, 431]],
    ])('%s', async (_, bytes, statuses) => {
      const connection = await RawConnection.to(url);
      expectRawProblem((await connection.send(bytes).receives(1))[0], statuses);
      connection.leave();
      expect(scripted.upstream.calls).toEqual([]);
    });
  });

  describe('unusual and allowed', () => {
    it.each([
      ['no version, as in HTTP/0.9', `GET ${TARGET}\r\n\r\n`, [200, 400]],
      ['HTTP/1.0 without Host', `GET ${TARGET} HTTP/1.0\r\n\r\n`, [200]],
      ['an upgrade that nobody offers', get(TARGET, 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), [200, 400, 426]],
      ['an expectation of 100', get(TARGET, 'Expect: 100-continue\r\n'), [100, 200]],
      ['an expectation that nobody knows', get(TARGET, 'Expect: miracles\r\n'), [200, 417]],
      ['the absolute form', `GET http://service.test${TARGET} HTTP/1.1\r\n${HOST}\r\n`, [200]],
      ['the asterisk form', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, [200, 204, 400, 404, 405]],
      ['TRACE', `TRACE ${TARGET} HTTP/1.1\r\n${HOST}\r\n`, [405]],
      [
        'POST with a body',
        `POST ${TARGET} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
        [405],
      ],
      [
        'a body of 1 MB announced and not sent',
        `PUT ${TARGET} HTTP/1.1\r\n${HOST}Content-Length: 1000000\r\n\r\n`,
        [405],
      ],
      [
        'the same where there is no path',
        `PUT /nowhere HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n`,
        [404],
      ],
      ['empty lines before the request', `\r\n\r\n${GOOD}`, [200]],
      ['300 headers', get(TARGET, 'X-Some: 1\r\n'.repeat(300)), [200]],
      ['1,500 headers before Host', `GET ${TARGET} HTTP/1.1\r\n${'X: 1\r\n'.repeat(1500)}${HOST}\r\n`, [200]],
    ] as const)('%s', async (_, bytes, statuses) => {
      const [answer] = await exchangeRaw(url, bytes);
      expect(statuses).toContain(answer?.status);
      if ((answer?.status ?? 0) >= 400) expectRawProblem(answer, statuses);
      if (answer?.status === 405) expect(answer.headers.allow).toEqual([expect.stringContaining('GET')]);
      if (!bytes.trimStart().startsWith('GET')) expect(scripted.upstream.calls).toEqual([]);
    });

    it('CONNECT opens no tunnel', async () => {
      scripted.upstream.hangUp();
      await scripted.upstream.until(() => scripted.upstream.openSockets() === 0);
      const connection = await RawConnection.to(url);
      const answers = await connection
        .send(`CONNECT ${new URL(scripted.upstream.url).host} HTTP/1.1\r\n${HOST}\r\n`)
        .receivesAll();
      for (const { status } of answers) expect([400, 404, 405, 501]).toContain(status);
      expect(scripted.upstream.openSockets()).toBe(0);
    });

    it('a GET that announces a body and sends half of it gets one response, and its connection is closed', async () => {
      const connection = await RawConnection.to(url);
      const answers = await connection.send(`${get(TARGET, 'Content-Length: 50\r\n')}part`).receivesAll();
      expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[200, ['close']]]);
    });

    it.each([
      ['with a length', `${get(TARGET, 'Content-Length: 5\r\n')}hello`],
      ['in chunks', `${get(TARGET, 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n0\r\n\r\n`],
      ['that looks like a request', `${get(TARGET, `Content-Length: ${GOOD.length}\r\n`)}${GOOD}`],
    ])('a body on GET %s is never taken for a request', async (_, bytes) => {
      const connection = await RawConnection.to(url);
      await connection.send(bytes).receives(1);
      const answers = await connection.send(byId('SHP-AFTER', 'Connection: close\r\n')).receivesAll();
      expect(answers.length).toBeLessThanOrEqual(2);
      expect(answers[0]?.status).toBeLessThan(500);
      if (answers.length === 2) expect(answers[1]?.status).toBe(200);
      const details = scripted.upstream.calls.filter(({ path }) => path === '/shippings/details');
      expect(details.length).toBeLessThanOrEqual(1);
    });
  });

  describe('pipelining', () => {
    beforeEach(() => {
      scripted.upstream.respondWith((call) => {
        const id = call.path.split('/').at(-1) ?? '';
        const reply = json({ ...wireRecord({ Id: id }), ...detailsReply() });
        return /\d$/.test(id) ? delayed(50 - 10 * Number(id.at(-1)), reply) : reply;
      });
    });

    it('pipelined requests get their responses in order', async () => {
      const ids = ['P-0', 'P-1', 'P-2', 'P-3', 'P-4'];
      const answers = await exchangeRaw(url, ids.map((id) => byId(id)).join(''), 5);
      expect(answers.map(idIn)).toEqual(ids);
    });

    it('errors among valid requests keep their order', async () => {
      const bytes = [byId('P-1'), byId('bad id'.replace(' ', '%20')), byId('P-2'), get('/nowhere'), byId('P-3')].join(
        '',
      );
      const answers = await exchangeRaw(url, bytes, 5);
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 404, 200]);
    });

    it('garbage after a response: 400, and the connection is closed', async () => {
      const connection = await RawConnection.to(url);
      await connection.send(byId('P-x')).receives(1);
      const answers = await connection.send('garbage\r\n\r\n').receivesAll();
      expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    });

    it('garbage behind a request in flight never becomes its response', async () => {
      const connection = await RawConnection.to(url);
      const answers = await connection.send(`${byId('P-0')}garbage\r\n\r\n`).receivesAll();
      expect([[], [200], [200, 400]]).toContainEqual(answers.map(({ status }) => status));
    });

    it('a client that disconnects cancels all its pipelined calls', async () => {
      scripted.upstream.respondWith(delayed(60_000));
      const connection = await RawConnection.to(url);
      connection.send(['A', 'B', 'C', 'D'].map((id) => byId(id)).join(''));
      await scripted.upstream.waitForCalls(1);
      connection.leave();
      await scripted.upstream.until(() => scripted.upstream.inFlight() === 0);
    });

    it('a client that never reads its responses does not delay others', async () => {
      const connection = await RawConnection.to(url);
      connection.stopReading();
      // More would close the connection.
      connection.send(byId('Q').repeat(32));
      await scripted.upstream.waitForCalls(1);
      expect((await scripted.service.request(PAGED.request)).status).toBe(200);
      connection.leave();
    });
  });

  it('a client that closes its sending half behind a request counts as disconnected', async () => {
    scripted.upstream.respondWith(delayed(60_000));
    const connection = await RawConnection.to(url);
    connection.send(GOOD);
    await scripted.upstream.waitForCalls(1);
    connection.endSending();
    await scripted.upstream.until(() => scripted.upstream.inFlight() === 0);
    expect(await connection.receivesAll()).toEqual([]);
  });

  it('500 idle connections do not affect another client', async () => {
    const idle = await Promise.all(Array.from({ length: 500 }, () => RawConnection.to(url)));
    const answer = await scripted.service.request('GetShippingDetails?OrderId=IDLE');
    expect(answer.headers['shipping-completeness']).toBe('complete');
    expect(idle.filter(({ ended }) => ended)).toEqual([]);
    for (const connection of idle) connection.leave();
  });

  it('slow requests are 408 after ten seconds, and do not delay others', async () => {
    const server = scripted.service.app.getHttpServer();
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 10_000]);
    const slow = await Promise.all(Array.from({ length: 3 }, () => RawConnection.to(url)));
    const [halfLine, halfHeaders, dripping] = slow;
    halfLine?.send('GET /api/Ship');
    halfHeaders?.send(`GET ${TARGET} HTTP/1.1\r\n${HOST}X-Half: `);
    dripping?.send(`GET ${TARGET} HTTP/1.1\r\n${HOST}X-Drip: `);
    const drip = setInterval(() => dripping?.send('x'), 50);
    try {
      const asked = await scripted.service.request('GetShippingDetails?OrderId=MEANWHILE');
      expect(asked.headers['shipping-completeness']).toBe('complete');
      expect(slow.filter(({ ended }) => ended)).toEqual([]);
      Object.assign(server, { headersTimeout: 500, requestTimeout: 500 });
      for (const connection of slow) expectRawProblem((await connection.receivesAll()).at(-1), 408);
    } finally {
      clearInterval(drip);
      Object.assign(server, { headersTimeout: 10_000, requestTimeout: 10_000 });
    }
  });
});
