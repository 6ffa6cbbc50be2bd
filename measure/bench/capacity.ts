/** What one request was seen to cost. */
export interface Observed {
  readonly records: number;
  readonly bytes: number;
  readonly cpu: number | null;
}

/** Processor time of a request: a fixed part, one for each record and one for each KiB of the response. */
export interface Capacity {
  readonly fixedMicros: number;
  readonly microsPerRecord: number;
  readonly microsPerKib: number;
  /** How far the model is from the farthest of what it was made from, as a share of that. */
  readonly largestError: number;
  readonly sentence: string;
}

type Vector = [number, number, number];

/** Fits the model by least squares of the relative errors; `null` where processor time is not known. */
export function fitCapacity(observed: readonly Observed[]): Capacity | null {
  const rows: { terms: Vector; cpu: number }[] = [];
  for (const { records, bytes, cpu } of observed) {
    if (cpu === null) return null;
    rows.push({ terms: [1, records, bytes / 1024], cpu });
  }
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const normal = ([0, 1, 2] as const).map((i) => ({
    left: ([0, 1, 2] as const).map((j) => sum(({ terms, cpu }) => (terms[i] * terms[j]) / cpu ** 2)) as Vector,
    right: sum(({ terms, cpu }) => terms[i] / cpu),
  }));
  const matrix = normal.map(({ left }) => left) as [Vector, Vector, Vector];
  const right = normal.map((row) => row.right) as Vector;
  const solution = solve(matrix, right);
  const [fixedMicros, microsPerRecord, microsPerKib] = solution;
  const errors = rows.map(({ terms, cpu }) => Math.abs(dot(solution, terms) / cpu - 1));
  const largestError = Math.max(...errors);
  const figures = [fixedMicros, microsPerRecord, microsPerKib].map((value) => value.toFixed(1));
  const sentence =
    `Capacity model: a request costs ${figures[0] ?? ''} µs + ${figures[1] ?? ''} µs per record + ${figures[2] ?? ''} µs per KiB of the response, ` +
    `and a core serves 1,000,000 / that a second; what was measured is at most ${Math.round(largestError * 100)} % away.`;
  return { fixedMicros, microsPerRecord, microsPerKib, largestError, sentence };
}

/** By Cramer's rule. */
function solve([a, b, c]: [Vector, Vector, Vector], right: Vector): Vector {
  const whole = determinant(a, b, c);
  return ([0, 1, 2] as const).map((column) => {
    const swapped = [a, b, c].map((row, index) => row.with(column, right[index] ?? 0) as Vector);
    return determinant(...(swapped as [Vector, Vector, Vector])) / whole;
  }) as Vector;
}

function determinant(a: Vector, b: Vector, c: Vector): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
