import { compressOnce } from './compressor';

let running = 0;
let most = 0;

jest.mock('node:zlib', () => {
  const zlib = jest.requireActual<typeof import('node:zlib')>('node:zlib');
  type Done = (error: Error | null, result: Buffer) => void;
  const counted = (compress: (body: Buffer, done: Done) => void) => (body: Buffer, options: unknown, last?: Done) => {
    running += 1;
    most = Math.max(most, running);
    const done = typeof options === 'function' ? (options as Done) : last;
    compress(body, (error, result) => {
      running -= 1;
      done?.(error, result);
    });
  };
  return { ...zlib, gzip: counted(zlib.gzip), brotliCompress: counted(zlib.brotliCompress) };
});

it('D59 four compressors run at a time, whatever the coding', async () => {
  const body = Buffer.alloc(100_000, 'x');
  const encoded = await Promise.all(
    Array.from({ length: 40 }, (_, index) => compressOnce(index % 2 ? 'br' : 'gzip', body)),
  );
  expect([most, running, encoded.length]).toEqual([4, 0, 40]);
});
