import { FillProgress } from './fill-progress';

const count = (total: number): Iterable<number> => Array.from({ length: total }, (_, index) => index);

/** What is written while that many records are taken, and the records. */
function filled(total: number, isTTY?: boolean): { written: string[]; records: number[] } {
  const written: string[] = [];
  const progress = new FillProgress(total, { isTTY, write: (text) => written.push(text) });
  const records = [...progress.report(count(total))];
  progress.end();
  return { written, records };
}

describe('FillProgress', () => {
  it('D39 updates one line on a terminal, and clears it', () => {
    expect(filled(50_000, true).written).toEqual([
      '\r\u001b[KSandbox: 20,000 of 50,000 records',
      '\r\u001b[KSandbox: 40,000 of 50,000 records',
      '\r\u001b[KSandbox: 50,000 of 50,000 records, building indexes',
      '\r\u001b[K',
    ]);
  });

  it.each([
    [50_000, false],
    [50_000, undefined],
    [2_000, true],
  ])('D39 writes nothing for %i records where isTTY is %s', (total, isTTY) => {
    expect(filled(total, isTTY).written).toEqual([]);
  });

  it.each([0, 1, 20_000])('yields %i records unchanged', (total) => {
    expect(filled(total, true).records).toEqual(count(total));
  });
});
