import * as zlib from 'node:zlib';
import { causeOf } from '../../../../test/support/units';
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

it('D18 codingsOf reads a header that came more than once', () => {
  expect(codingsOf(['GZip, identity', '', ' br'])).toEqual(['gzip', 'br']);
});

describe('D18 decode', () => {
  const LIMIT = 1000;

  it('decodes at most four bodies at a time, and all of them in the end, failures included', async () => {
    const body = zlib.gzipSync('x'.repeat(LIMIT));
    const bad = Buffer.from('no gzip');
    const counted = async (bytes: Buffer): Promise<string | undefined> => {
      try {
        return (await decode(bytes, ['gzip'], LIMIT)).toString();
      } catch (error) {
        return causeOf(error);
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
    await expect(decode(bomb, ['gzip'], LIMIT)).rejects.toMatchObject({ causes: [{ what: larger }] });
    await expect(decode(zlib.gzipSync(bomb), ['gzip', 'gzip'], LIMIT)).rejects.toMatchObject({
      causes: [{ what: larger }],
    });
    await expect(decode(Buffer.alloc(0), ['gzip'], LIMIT)).resolves.toHaveLength(0);
  });
});
