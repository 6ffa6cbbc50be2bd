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
  const WANTED = { aborted: false };

  it('decodes at most four bodies at a time, and all of them in the end, failures included', async () => {
    const body = zlib.gzipSync('x'.repeat(LIMIT));
    const bad = Buffer.from('no gzip');
    const counted = async (bytes: Buffer): Promise<string | undefined> => {
      try {
        return (await decode(bytes, ['gzip'], LIMIT, WANTED)).toString();
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

  const TEXT = Buffer.from('Zoë 漢');
  it.each<[codings: string, coded: Buffer]>([
    ['', TEXT],
    ['identity, gzip,', zlib.gzipSync(TEXT)],
    ['x-gzip', zlib.gzipSync(TEXT)],
    ['br', zlib.brotliCompressSync(TEXT)],
    ['deflate', zlib.deflateSync(TEXT)],
    ['deflate', zlib.deflateRawSync(TEXT)],
    ['br,gzip,deflate,gzip', zlib.gzipSync(zlib.deflateSync(zlib.gzipSync(zlib.brotliCompressSync(TEXT))))],
  ])('undoes %j', async (codings, coded) => {
    expect(await decode(coded, codingsOf(codings), LIMIT, WANTED)).toEqual(TEXT);
  });

  it.each([
    ['UTF-8', 'utf-8'],
    ['gzip, compress', 'compress'],
    ['https://host.example/?q=1', 'unknown'],
    ['gzip, gzip, gzip, gzip, gzip', 'of more than 4 codings'],
  ])('D81 %j is a bad reply', async (codings, cause) => {
    const what = `content encoding ${cause}`;
    await expect(decode(TEXT, codingsOf(codings), LIMIT, WANTED)).rejects.toMatchObject({ causes: [{ what }] });
  });

  it('D59 decodes no body whose request was given up while it waited', async () => {
    const body = zlib.gzipSync('x'.repeat(LIMIT));
    const request = { aborted: false };
    const before = Array.from({ length: 4 }, () => decode(body, ['gzip'], LIMIT, WANTED));
    const waiting = decode(Buffer.from('no gzip'), ['gzip'], LIMIT, request);
    request.aborted = true;
    await expect(waiting).rejects.toMatchObject({ reason: 'upstream-timeout' });
    expect(await Promise.all(before)).toHaveLength(4);
  });

  it('bounds each step by the limit', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(LIMIT + 1));
    const larger = `larger than ${LIMIT} bytes (EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES)`;
    await expect(decode(bomb, ['gzip'], LIMIT, WANTED)).rejects.toMatchObject({ causes: [{ what: larger }] });
    await expect(decode(zlib.gzipSync(bomb), ['gzip', 'gzip'], LIMIT, WANTED)).rejects.toMatchObject({
      causes: [{ what: larger }],
    });
  });
});
