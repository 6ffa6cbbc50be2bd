import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import {
  answersTwice,
  byteOrderMark,
  duplicateKeys,
  gzipBomb,
  hugeHeaders,
  invalidUtf8,
  protoKeys,
  truncatedGzip,
  unsafeIntegers,
} from './body-faults';
import type { Behaviour } from './exchange';
import { anyReply } from './records';
import { ScriptedUpstream } from './scripted-upstream';
import { WireClient } from './wire-client';

const MIB = 1024 * 1024;

describe('faults of the body', () => {
  let upstream: ScriptedUpstream;
  const agent = new Agent();

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });

  afterAll(async () => {
    await agent.destroy();
    await upstream.close();
  });

  /** The body as a proper client hands it on: complete, nothing decompressed. */
  async function bodyOf(behaviour: Behaviour): Promise<Buffer> {
    upstream.respondWith(behaviour);
    const { statusCode, body } = await request(upstream.url, { dispatcher: agent });
    expect(statusCode).toBe(200);
    return Buffer.from(await body.arrayBuffer());
  }

  async function replyOf(behaviour: Behaviour): Promise<{ text: string; reply: ReturnType<typeof anyReply> }> {
    const text = (await bodyOf(behaviour)).toString();
    return { text, reply: JSON.parse(text) };
  }

  it('truncatedGzip: complete on the wire, cut short inside', async () => {
    const body = await bodyOf(truncatedGzip());
    expect(() => gunzipSync(body)).toThrow('unexpected end of file');
  });

  it('gzipBomb: small on the wire, and so large as told once decoded', async () => {
    const body = await bodyOf(gzipBomb(8 * MIB + 1));
    expect(body.length).toBeLessThan(64 * 1024);
    const decoded = gunzipSync(body);
    expect(decoded).toHaveLength(8 * MIB + 1);
    expect(JSON.parse(decoded.toString())).toMatchObject(anyReply());
  });

  it.each([100, 20_000, 64 * 1024])('hugeHeaders: %d bytes of header lines more', async (size) => {
    upstream.respondWith(hugeHeaders(size));
    const { head, body } = await WireClient.to(upstream.url).get('/', { Connection: 'close' }).response();
    const padding = head.split('\r\n').filter((line) => line.startsWith('X-Padding-'));
    expect(padding.reduce((sum, line) => sum + line.length + 2, 0)).toBe(size);
    expect(JSON.parse(body.toString())).toEqual(anyReply());
  });

  it('answersTwice: one response too many', async () => {
    upstream.respondWith(answersTwice('first', 'second'));
    const client = WireClient.to(upstream.url).get();
    expect(await client.receives((text) => text.endsWith('"second"'))).toMatch(/"first"HTTP\/1\.1 200 OK\r\n/);
    client.leave();
  });

  it('invalidUtf8: no UTF-8, sound JSON otherwise', async () => {
    const body = await bodyOf(invalidUtf8());
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow('not valid');
    expect(JSON.parse(body.toString('latin1'))).toMatchObject({ ShippingAddress: 'Göteborg' });
  });

  it('byteOrderMark: a mark before sound JSON', async () => {
    const body = await bodyOf(byteOrderMark());
    expect(body.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect(JSON.parse(body.toString().slice(1))).toEqual(anyReply());
  });

  it('protoKeys: dangerous keys in the reply and in its records', async () => {
    const { text, reply } = await replyOf(protoKeys());
    expect(text.match(/"__proto__":/g)).toHaveLength(3);
    expect(Object.keys(reply)).toEqual(expect.arrayContaining(['__proto__', 'constructor', 'Id']));
    expect(reply).toMatchObject({ Items: [{ Id: 'SHP-1' }], ShippingDetails: [{ Id: 'SHP-1' }] });
    expect(reply.polluted).toBeUndefined();
  });

  it('duplicateKeys: twice in the reply and in its records', async () => {
    const { text, reply } = await replyOf(duplicateKeys());
    expect(text.match(/"Id":"SHP-FIRST","Id":"SHP-1"/g)).toHaveLength(3);
    expect(text.match(/"(Items|ShippingDetails)":\[\],/g)).toHaveLength(2);
    expect(reply).toEqual(anyReply());
  });

  it('unsafeIntegers: rounded by JSON.parse', async () => {
    const { text, reply } = await replyOf(unsafeIntegers());
    expect(text.match(/:9007199254740993\b/g)).toHaveLength(6);
    expect(reply.OrderId).toBe(9007199254740992);
  });
});
