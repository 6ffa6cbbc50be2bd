import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { SharedBody } from './shared-body';

const TEXT = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ id: `SHP-${index}`, address: 'Łódź' })));

describe('SharedBody', () => {
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('D75 is compressed once for all who ask for %s, at the same time or later', async (coding, decode) => {
    const body = SharedBody.of(TEXT);
    const stored = jest.fn();
    body.whenEncoded = stored;
    const encoded = await Promise.all([body.encoded(coding), body.encoded(coding)]);
    encoded.push(await body.encoded(coding));
    expect(new Set(encoded).size).toBe(1);
    expect(decode(await body.encoded(coding)).toString()).toBe(TEXT);
    expect(stored).toHaveBeenCalledTimes(1);
  });

  it('D75 counts the bytes of its text and of each coding', async () => {
    const body = SharedBody.of(TEXT);
    // V8 holds two bytes for each character, because one of them is beyond Latin-1.
    const length = 2 * TEXT.length;
    expect(body.bytes).toBe(length);
    const [br, gzip] = [await body.encoded('br'), await body.encoded('gzip')];
    expect(body.bytes).toBe(length + br.length + gzip.length);
  });

  it.each([
    ['short, as a string', 'x'.repeat(65_535), 'string'],
    ['long, as bytes outside the heap', 'x'.repeat(65_536), 'object'],
  ])('D59 holds a text that is %s', (_, text, type) => {
    const { json } = SharedBody.of(text);
    expect([typeof json, json.length]).toEqual([type, text.length]);
  });
});
