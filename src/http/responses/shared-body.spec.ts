import { gunzipSync } from 'node:zlib';
import { SharedBody } from './shared-body';

const TEXT = JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ id: `SHP-${index}`, address: 'Łódź' })));

describe('SharedBody', () => {
  it.each([
    ['small', TEXT],
    ['large', TEXT.repeat(100)],
  ])('D75 a %s one is compressed once for all who ask for it, at the same time or later', async (_, text) => {
    const body = SharedBody.of(text);
    const stored = jest.fn();
    body.whenEncoded = stored;
    const encoded = await Promise.all([body.compressed(), body.compressed()]);
    encoded.push(await body.compressed());
    expect(new Set([...encoded, body.encoded]).size).toBe(1);
    expect(gunzipSync(await body.compressed()).toString()).toBe(text);
    expect(stored).toHaveBeenCalledTimes(1);
  });

  it('D75 counts the bytes of its text and of its coding', async () => {
    const body = SharedBody.of(TEXT);
    // V8 holds two bytes for each character, because one of them is beyond Latin-1.
    const length = 2 * TEXT.length;
    expect(body.bytes).toBe(length);
    const { length: encoded } = await body.compressed();
    expect(body.bytes).toBe(length + encoded);
  });
});
