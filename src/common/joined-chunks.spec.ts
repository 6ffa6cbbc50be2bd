import * as fc from 'fast-check';
import { boundedText } from './direct-fetch';
import { JoinedChunks } from './joined-chunks';

it('D18 joined chunks are the body, up to their limit', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 50 });
  fc.assert(
    fc.property(chunks, fc.nat(600), (parts, maxBytes) => {
      const body = new JoinedChunks(maxBytes);
      const added = parts.filter((part) => body.add(part));
      expect(body.bytes).toEqual(Buffer.concat(added));
      expect(body.bytes.length).toBeLessThanOrEqual(maxBytes);
      if (added.length < parts.length) expect(Buffer.concat(parts).length).toBeGreaterThan(maxBytes);
    }),
  );
});

describe('boundedText', () => {
  /** A body of such bytes, one in each chunk. All chunks are the same memory: a reader that keeps them reads nonsense. */
  function* inOneChunkAtATime(text: string): Generator<Uint8Array> {
    const chunk = new Uint8Array(1);
    for (const [index, byte] of Buffer.from(text).entries()) {
      if (index === 0) yield Uint8Array.of(byte);
      else yield chunk.fill(byte);
    }
  }
  const responseOf = (body: unknown): Response => ({ body }) as Response;

  it('D18 D35 D76 keeps no chunk of a body: it costs its size', async () => {
    const text = '{"keys":[]}\u0142'.repeat(100);
    expect(await boundedText(responseOf(inOneChunkAtATime(`\ufeff${text}`)), 1500)).toBe(text);
  });

  it.each([
    ['a body of the limit', 'abc', 3, 'abc'],
    ['a larger one', 'abcd', 3, undefined],
    ['none', null, 3, ''],
  ])('%s', async (_, body, maxBytes, text) => {
    expect(await boundedText(new Response(body), maxBytes)).toBe(text);
  });
});
