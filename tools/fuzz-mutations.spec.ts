import { mutate, randomFrom } from './fuzz-mutations';

describe('mutations of the fuzzer', () => {
  it('are the same for the same seed, and others for another', () => {
    const bytes = Buffer.from('GET /api HTTP/1.1\r\n\r\n');
    const series = (seed: number): string[] => {
      const random = randomFrom(seed);
      return Array.from({ length: 50 }, () => mutate(bytes, random).toString('latin1'));
    };
    expect(series(7)).toEqual(series(7));
    expect(series(7)).not.toEqual(series(8));
    expect(new Set(series(7)).size).toBeGreaterThan(20);
  });
});
