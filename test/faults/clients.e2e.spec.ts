import { eventually } from '../../testing/upstream/eventually';
import { delayed, json } from '../../testing/upstream/responses';
import { useScriptedService } from '../support/service';
import { exchangeRaw, RawConnection } from './support/raw-connection';

const HOST = 'Host: service.test\r\n';
const TARGET = '/api/Shipping/GetShippingDetails?Limit=5';
const GOOD = `GET ${TARGET} HTTP/1.1\r\n${HOST}\r\n`;
/** A `Host`, and a body that does not follow. */
const ANNOUNCED = `${HOST}Content-Length: 1000000\r\n`;

const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
const put = (headers: string): string => `PUT ${TARGET} HTTP/1.1\r\n${headers}\r\n`;
const byId = (id: string, headers = ''): string => get(`/api/Shipping/GetShippingInfoById/${id}`, headers);

const scripted = useScriptedService({ EXTERNAL_SHIPPING_TIMEOUT_MS: '3000' });
const connect = (): Promise<RawConnection> => RawConnection.to(scripted.service.url);
// Whatever happened, another client is served in full.
afterEach(async () => {
  scripted.upstream.respondWith(json());
  await eventually('calls in flight', () => scripted.upstream.inFlight(), 0);
  const response = await scripted.service.request('GetShippingDetails?Limit=5');
  expect([response.status, response.headers['shipping-completeness']]).toEqual([200, 'complete']);
});

it.each([
  { what: 'no HTTP at all', bytes: 'hello\r\n\r\n', status: 400 },
  { what: 'an unknown method', bytes: GOOD.replace('GET', 'FETCH'), status: 400 },
  { what: 'both framings', bytes: get(TARGET, 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'), status: 400 },
  { what: 'no Host', bytes: GOOD.replace(HOST, ''), status: 400 },
  { what: 'no Host, and an Expect', bytes: GOOD.replace(HOST, 'Expect: 100-continue\r\n'), status: 400 },
  { what: 'an unknown Expect', bytes: get(TARGET, 'Expect: 200-ok\r\n'), status: 417 },
  { what: 'a header of 20 kB', bytes: get(TARGET, `X-Long: ${'x'.repeat(20_000)}\r\n`), status: 431 },
  { what: '1,001 header fields', bytes: get(TARGET, 'a:\r\n'.repeat(1000)), status: 431 },
  { what: 'a target of 20 kB', bytes: get(`${TARGET}&SearchTerm=${'x'.repeat(20_000)}`), status: 431 },
])('D15 $what: a bare response, and the connection is closed', async ({ bytes, status }) => {
  const connection = await connect();
  const responses = await connection.send(bytes).receives(1);
  expect(responses).toMatchObject([{ status, body: '', headers: { connection: ['close'] } }]);
  expect(await connection.receivesAll()).toHaveLength(1);
  expect(scripted.upstream.calls).toEqual([]);
});

it.each([
  { what: 'HTTP/1.0 without Host', bytes: `GET ${TARGET} HTTP/1.0\r\n\r\n` },
  { what: 'the absolute form', bytes: get(`http://evil.test${TARGET}`) },
  { what: 'the absolute form with an impossible port', bytes: get(`http://evil.test:99999${TARGET}`) },
  { what: 'empty lines before the request', bytes: `\r\n\r\n${GOOD}` },
])('D12 $what is served', async ({ bytes }) => {
  expect(await exchangeRaw(scripted.service.url, bytes)).toMatchObject([{ status: 200 }]);
});

it.each([
  { what: 'the asterisk form', bytes: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, status: 400 },
  { what: 'a path that begins with an asterisk', bytes: get('*api/Shipping/GetShippingDetails'), status: 400 },
  { what: 'a body of 1 MB that is not sent', bytes: put(ANNOUNCED), status: 405 },
])('D7 D12 $what is $status', async ({ bytes, status }) => {
  const [response] = await exchangeRaw(scripted.service.url, bytes);
  const { headers = {}, body = '' } = response ?? {};
  expect(headers['content-type']).toEqual(['application/problem+json; charset=utf-8']);
  expect(JSON.parse(body)).toMatchObject({ status, requestId: headers['x-request-id']?.[0] });
  expect(scripted.upstream.calls).toEqual([]);
});

it('CONNECT opens no tunnel', async () => {
  scripted.upstream.hangUp();
  await eventually('open connections to the external system', () => scripted.upstream.openSockets(), 0);
  const connection = await connect();
  await connection.send(`CONNECT ${new URL(scripted.upstream.url).host} HTTP/1.1\r\n${HOST}\r\n`).receivesAll();
  expect(scripted.upstream.openSockets()).toBe(0);
});

it.each([
  ['with a length', `${get(TARGET, 'Content-Length: 5\r\n')}hello`],
  ['in chunks', `${get(TARGET, 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n0\r\n\r\n`],
  ['that looks like a request', `${get(TARGET, `Content-Length: ${GOOD.length}\r\n`)}${GOOD}`],
])('a body on GET %s is never taken for a request', async (_, bytes) => {
  const connection = await connect();
  await connection.send(bytes).receives(1);
  const responses = await connection.send(byId('SHP-AFTER', 'Connection: close\r\n')).receivesAll();
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  const details = scripted.upstream.calls.filter(({ path }) => path === '/shippings/details');
  expect(details).toHaveLength(1);
});

it('D78 a client that closes its sending half is disconnected', async () => {
  scripted.upstream.respondWith(delayed(60_000));
  const connection = await connect();
  connection.send(GOOD);
  await scripted.upstream.waitForCalls(1);
  connection.endSending();
  await eventually('calls in flight', () => scripted.upstream.inFlight(), 0);
  expect(await connection.receivesAll()).toEqual([]);
});
