import { gunzipSync } from 'node:zlib';
import { bytesOfObjects, heldOutsideHeap, SharedBody } from './shared-body';

let running = 0;
let most = 0;

jest.mock('node:zlib', () => {
  const zlib = jest.requireActual<typeof import('node:zlib')>('node:zlib');
  type Done = (error: Error | null, result: Buffer) => void;
  const gzip = (body: Buffer, done: Done): void => {
    running += 1;
    most = Math.max(most, running);
    zlib.gzip(body, (error, result) => {
      running -= 1;
      done(error, result);
    });
  };
  return { ...zlib, gzip };
});

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

  it('D59 four are compressed at a time', async () => {
    const bodies = Array.from({ length: 40 }, () => SharedBody.of(TEXT.repeat(100)));
    const encoded = await Promise.all(bodies.map(async (body) => body.compressed()));
    expect([most, running, encoded.length]).toEqual([4, 0, 40]);
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

it.each([
  ['a long text, as its bytes', '\u4e2d'.repeat(65_536), true],
  ['a short text stays', 'x'.repeat(65_535), false],
  ['no text', undefined, false],
])('D59 a body is held outside the heap: %s', (_, body, isOutside) => {
  const held = heldOutsideHeap(body);
  expect([Buffer.isBuffer(held), String(held)]).toEqual([isOutside, String(body)]);
});

it.each([
  ['a long text', 'x'.repeat(65_536), 3 * 65_536],
  ['a short text', 'x'.repeat(65_535), 0],
  ['the bytes of a text', Buffer.alloc(65_536), 0],
])('D59 the objects behind a body count, too: %s', (_, body, bytes) => {
  expect(bytesOfObjects(body)).toBe(bytes);
});
