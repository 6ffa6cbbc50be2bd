import { connect, type SecureContextOptions } from 'node:tls';
import { Agent, request } from 'undici';
import { json } from './responses';
import { authority, expired, selfSigned, sound, wrongHost } from './certificates';
import { resetsBeforeHeaders, resetsMidBody } from './connection-faults';
import { ScriptedUpstream } from './scripted-upstream';
import { WireClient } from './wire-client';

describe('an upstream over TLS', () => {
  let upstream: ScriptedUpstream;

  async function start(tls?: SecureContextOptions): Promise<void> {
    upstream = await ScriptedUpstream.start({ tls });
    upstream.respondWith(json({ a: 1 }));
  }

  afterEach(() => upstream.close());

  async function get(url = upstream.url, ca: string | undefined = authority): Promise<unknown> {
    const agent = new Agent({ connect: { ca } });
    try {
      const { body } = await request(url, { dispatcher: agent });
      return await body.json();
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await agent.destroy();
    }
  }

  it('serves clients that trust the authority, and them alone', async () => {
    await start(sound);
    expect(upstream.url).toMatch(/^https:/);
    expect(await get()).toEqual({ a: 1 });
    expect(await get(upstream.url, '')).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    await upstream.until(() => upstream.openSockets() === 0);
  });

  it.each([
    ['expired', expired, 'CERT_HAS_EXPIRED'],
    ['wrongHost', wrongHost, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['selfSigned', selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('%s: is refused for that reason', async (_, certificate, code) => {
    await start(certificate);
    expect(await get()).toBe(code);
    expect(upstream.calls).toEqual([]);
  });

  it.each([
    ['before the headers', resetsBeforeHeaders()],
    ['in the body', resetsMidBody()],
  ])('resets connections %s too', async (_, behaviour) => {
    await start(sound);
    upstream.respondWith(behaviour);
    expect(await get()).toBe('ECONNRESET');
    expect(upstream.calls).toHaveLength(1);
  });

  it('closes with handshakes under way', async () => {
    await start(sound);
    const client = WireClient.to(upstream.url);
    await upstream.until(() => upstream.openSockets() === 1);
    await upstream.close();
    expect(await client.ending).toMatch(/FIN|ECONNRESET/);
  });

  it('leaves a handshake without an answer where it speaks no TLS', async () => {
    await start();
    const socket = connect({ port: upstream.port, host: '127.0.0.1' }).on('error', () => undefined);
    await upstream.until(() => upstream.openSockets() === 1);
    await new Promise((resolve) => socket.once('connect', resolve));
    expect(socket.authorized).toBe(false);
    expect(upstream.calls).toEqual([]);
    socket.destroy();
    await upstream.until(() => upstream.openSockets() === 0);
  });
});
