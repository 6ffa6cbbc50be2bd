import * as zlib from 'node:zlib';
import { codingsOf, decode } from './content-encoding';

/** How many bodies zlib decodes now, and the most so far. */
const mockDecoding = { now: 0, most: 0 };
jest.mock('node:zlib', () => {
  const actual = jest.requireActual<typeof zlib>('node:zlib');
  return {
    ...actual,
    gunzip: (body: Buffer, options: zlib.ZlibOptions, done: (error: Error | null, result: Buffer) => void) => {
      mockDecoding.now += 1;
      mockDecoding.most = Math.max(mockDecoding.most, mockDecoding.now);
      actual.gunzip(body, options, (error, result) => {
        mockDecoding.now -= 1;
        done(error, result);
      });
    },
  };
});

describe('D18 codingsOf', () => {
  const GZIP_BR = ['gzip', 'br'];
  it.each([
    [undefined, []],
    ['', []],
    [' , ', []],
    ['identity', []],
    [' GZip ,\tBR', ['gzip', 'br']],
    [GZIP_BR, GZIP_BR],
  ])('%j', (header, expected) => {
    expect(codingsOf(header)).toEqual(expected);
  });
});

describe('D18 decode', () => {
  const LIMIT = 1000;

  it('decodes at most four bodies at a time, and all of them in the end, failures included', async () => {
    const body = zlib.gzipSync('x'.repeat(LIMIT));
    const bad = Buffer.from('no gzip');
    const counted = async (bytes: Buffer): Promise<string> => {
      try {
        return (await decode(bytes, ['gzip'], LIMIT)).toString();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const decoded = Promise.all(Array.from({ length: 40 }, (_, index) => counted(index % 3 === 0 ? bad : body)));
    const results = await decoded;
    const failed = 'content encoding gzip: Z_DATA_ERROR';
    expect(results).toEqual(results.map((_, index) => (index % 3 === 0 ? failed : 'x'.repeat(LIMIT))));
    expect(mockDecoding).toEqual({ now: 0, most: 4 });
  });

  it('bounds each step by the limit', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(LIMIT + 1));
    const larger = `larger than ${LIMIT} bytes (EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES)`;
    await expect(decode(bomb, ['gzip'], LIMIT)).rejects.toThrow(larger);
    await expect(decode(zlib.gzipSync(bomb), ['gzip', 'gzip'], LIMIT)).rejects.toThrow(larger);
    await expect(decode(Buffer.alloc(0), ['gzip'], LIMIT)).resolves.toHaveLength(0);
  });

  it('undoes four codings, and refuses five', async () => {
    const coded = [1, 2, 3, 4].reduce((body) => zlib.gzipSync(body), Buffer.from('x'));
    const codings = new Array<string>(4).fill('gzip');
    expect((await decode(coded, codings, LIMIT)).toString()).toBe('x');
    const refused = decode(zlib.gzipSync(coded), [...codings, 'gzip'], LIMIT);
    await expect(refused).rejects.toThrow('content encoding of more than 4 codings');
  });
});
