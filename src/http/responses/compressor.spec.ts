import { compressOnce } from './compressor';

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

it('D59 four compressors run at a time', async () => {
  const body = Buffer.alloc(100_000, 'x');
  const encoded = await Promise.all(Array.from({ length: 40 }, () => compressOnce(body)));
  expect([most, running, encoded.length]).toEqual([4, 0, 40]);
});
