import { eventually } from '../../testing/upstream/eventually';
import { wireList, wireRecord } from '../../testing/upstream/records';
import { delayed, json } from '../../testing/upstream/responses';
import { PAGED } from '../support/operations';
import { useScriptedService } from '../support/service';
import { exchangeRaw, RawConnection, type RawResponse } from './support/raw-connection';

const HOST = 'Host: service.test\r\n';
const TARGET = '/api/Shipping/GetShippingDetails?Limit=5';
const GOOD = `GET ${TARGET} HTTP/1.1\r\n${HOST}\r\n`;

const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const byId = (id: string, headers = ''): string => get(`/api/Shipping/GetShippingInfoById/${id}`, headers);
const idIn = (response: RawResponse | undefined): unknown =>
  (JSON.parse(response?.body ?? '{}') as { id?: unknown }).id;

describe('clients that misbehave', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_TIMEOUT_MS: '3000' });
  let url: string;

  beforeAll(() => {
    ({ url } = scripted.service);
  });
  // Whatever happened, another client is served in full.
  afterEach(async () => {
    scripted.upstream.respondWith(json());
    await eventually('calls in flight', () => scripted.upstream.inFlight(), 0);
    const response = await scripted.service.request('GetShippingDetails?Limit=5');
    expect([response.status, response.headers['shipping-completeness']]).toEqual([200, 'complete']);
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['an unknown method', `FETCH ${TARGET} HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a space in the target', `GET /api/Shipping/Get ShippingDetails HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a NUL in a header', get(TARGET, 'X-Request-Id: a\0b\r\n'), 400],
    ['a bare CR in a header', get(TARGET, 'X-Request-Id: a\rSet-Cookie: b\r\n'), 400],
    ['two lengths', get(TARGET, 'Content-Length: 1\r\nContent-Length: 2\r\n'), 400],
    ['a length and chunks', get(TARGET, 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'), 400],
    ['no Host', `GET ${TARGET} HTTP/1.1\r\n\r\n`, 400],
    ['no Host, and an Expect', `GET ${TARGET} HTTP/1.1\r\nExpect: 100-continue\r\n\r\n`, 400],
    ['an unknown Expect', get(TARGET, 'Expect: 200-ok\r\n'), 417],
    ['a header of 20 kB', get(TARGET, `X-Long: ${'x'.repeat(20_000)}\r\n`), 431],
    ['two Hosts', get(TARGET, 'host: other.test\r\n'), 400],
    ['the same Host twice', get(TARGET, HOST), 400],
    ['101 header fields', get(TARGET, 'a:\r\n'.repeat(100)), 431],
    ['1,001 header fields', get(TARGET, 'a:\r\n'.repeat(1000)), 431],
    ['a target of 20 kB', get(`${TARGET}&SearchTerm=${'x'.repeat(20_000)}`), 431],
  ])('D15 %s: a bare response, and the connection is closed', async (_, bytes, status) => {
    const connection = await RawConnection.to(url);
    const responses = await connection.send(bytes).receivesAll();
    expect(responses.map((response) => [response.status, response.body])).toEqual([[status, '']]);
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each([
    ['HTTP/1.0 with an unknown Expect', `GET ${TARGET} HTTP/1.0\r\nExpect: 200-ok\r\n\r\n`, 200],
    ['HTTP/1.0 without Host', `GET ${TARGET} HTTP/1.0\r\n\r\n`, 200],
    ['the absolute form', `GET http://evil.test${TARGET} HTTP/1.1\r\n${HOST}\r\n`, 200],
    ['the asterisk form', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a path that begins with an asterisk', get('*api/Shipping/GetShippingDetails'), 400],
    ['the absolute form with an impossible port', get(`http://evil.test:99999${TARGET}`), 200],
    ['a path that cannot be decoded', get('/api/Shipping/GetShippingInfoById/%E0%A4%A'), 400],
    ['a body of 1 MB announced and not sent', `PUT ${TARGET} HTTP/1.1\r\n${HOST}Content-Length: 1000000\r\n\r\n`, 405],
    ['empty lines before the request', `\r\n\r\n${GOOD}`, 200],
    ['100 header fields', get(TARGET, 'X-Some: 1\r\n'.repeat(99)), 200],
  ])('D7 D12 %s', async (_, bytes, status) => {
    const [response] = await exchangeRaw(url, bytes);
    expect(response?.status).toBe(status);
    if (status === 200) return;
    expect(response?.headers['content-type']).toEqual(['application/problem+json; charset=utf-8']);
    expect(JSON.parse(response?.body ?? '')).toMatchObject({
      status,
      requestId: response?.headers['x-request-id']?.[0],
    });
    expect(scripted.upstream.calls).toEqual([]);
  });

  it('CONNECT opens no tunnel', async () => {
    scripted.upstream.hangUp();
    await eventually('open connections to the external system', () => scripted.upstream.openSockets(), 0);
    const connection = await RawConnection.to(url);
    await connection.send(`CONNECT ${new URL(scripted.upstream.url).host} HTTP/1.1\r\n${HOST}\r\n`).receivesAll();
    expect(scripted.upstream.openSockets()).toBe(0);
  });

  it.each([
    ['with a length', `${get(TARGET, 'Content-Length: 5\r\n')}hello`],
    ['in chunks', `${get(TARGET, 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n0\r\n\r\n`],
    ['that looks like a request', `${get(TARGET, `Content-Length: ${GOOD.length}\r\n`)}${GOOD}`],
  ])('a body on GET %s is never taken for a request', async (_, bytes) => {
    const connection = await RawConnection.to(url);
    await connection.send(bytes).receives(1);
    const responses = await connection.send(byId('SHP-AFTER', 'Connection: close\r\n')).receivesAll();
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const details = scripted.upstream.calls.filter(({ path }) => path === '/shippings/details');
    expect(details).toHaveLength(1);
  });

  describe('D34 pipelining', () => {
    beforeEach(() => {
      scripted.upstream.respondWith((call) => {
        const id = call.path.split('/').at(-1) ?? '';
        const valid = json({ ...wireRecord({ Id: id }), ...wireList() });
        return /\d$/.test(id) ? delayed(50 - 10 * Number(id.at(-1)), valid) : valid;
      });
    });

    it('responses and errors come in order', async () => {
      const bytes = [byId('P-1'), byId('bad%20id'), byId('P-2'), get('/nowhere'), byId('P-3')].join('');
      const responses = await exchangeRaw(url, bytes, 5);
      expect(responses.map(({ status }) => status)).toEqual([200, 400, 200, 404, 200]);
      expect(responses.filter(({ status }) => status === 200).map(idIn)).toEqual(['P-1', 'P-2', 'P-3']);
    });

    it('garbage is 400, or ends the request before it', async () => {
      const connection = await RawConnection.to(url);
      await connection.send(byId('P-x')).receives(1);
      const responses = await connection.send('garbage\r\n\r\n').receivesAll();
      expect(responses.map(({ status }) => status)).toEqual([200, 400]);
      const other = await RawConnection.to(url);
      expect(await other.send(`${byId('P-0')}garbage\r\n\r\n`).receivesAll()).toEqual([]);
    });

    it('a client that never reads does not delay others', async () => {
      const connection = await RawConnection.to(url);
      connection.stopReading();
      connection.send(byId('Q').repeat(100));
      await scripted.upstream.waitForCalls(1);
      expect((await scripted.service.request(PAGED.request)).status).toBe(200);
      connection.leave();
    });
  });

  it('D78 a client that closes its sending half is disconnected', async () => {
    scripted.upstream.respondWith(delayed(60_000));
    const connection = await RawConnection.to(url);
    connection.send(GOOD);
    await scripted.upstream.waitForCalls(1);
    connection.endSending();
    await eventually('calls in flight', () => scripted.upstream.inFlight(), 0);
    expect(await connection.receivesAll()).toEqual([]);
  });

  it('500 idle connections do not affect another client', async () => {
    const idle = await Promise.all(Array.from({ length: 500 }, () => RawConnection.to(url)));
    expect((await scripted.service.request(PAGED.request)).status).toBe(200);
    expect(idle.filter(({ ended }) => ended)).toEqual([]);
    for (const connection of idle) connection.leave();
  });

  it('slow requests are 408 after ten seconds, and delay nobody', async () => {
    const server = scripted.service.app.getHttpServer();
    // The second one is for bodies that routes of teams read.
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 300_000]);
    const slow = await Promise.all(Array.from({ length: 2 }, () => RawConnection.to(url)));
    const [halfLine, halfHeaders] = slow;
    halfLine?.send('GET /api/Ship');
    halfHeaders?.send(`GET ${TARGET} HTTP/1.1\r\n${HOST}X-Half: `);
    expect((await scripted.service.request(PAGED.request)).status).toBe(200);
    expect(slow.filter(({ ended }) => ended)).toEqual([]);
    Object.assign(server, { headersTimeout: 500, requestTimeout: 500 });
    for (const connection of slow) expect((await connection.receivesAll()).at(-1)?.status).toBe(408);
    Object.assign(server, { headersTimeout: 10_000, requestTimeout: 300_000 });
  });
});
