/** One figure: its name, labels and value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all of its samples. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly samples: readonly Sample[];
}

const HEADER = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)/;
const SUFFIXES = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
} as const;

/** Reads the text format of Prometheus (0.0.4). Throws where it is not followed to the letter. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line does not end');
  const families = new Map<string, Family & { samples: Sample[] }>();
  const series = new Set<string>();
  let current: (Family & { samples: Sample[] }) | undefined;
  let help: string | undefined;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name = '', rest = ''] = HEADER.exec(line) ?? [];
    if (kind === 'HELP') {
      help = name;
    } else if (kind === 'TYPE') {
      if (help !== name || families.has(name) || !(rest in SUFFIXES)) throw new Error(`Out of place: ${line}`);
      current = { name, type: rest as Family['type'], samples: [] };
      families.set(name, current);
    } else {
      const sample = parseSample(line);
      const key = sample.name + JSON.stringify(Object.entries(sample.labels).sort());
      if (current === undefined || !belongs(sample, current) || series.has(key)) throw new Error(`Odd: ${line}`);
      series.add(key);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function belongs(sample: Sample, { name, type }: Family): boolean {
  return SUFFIXES[type].some((suffix) => sample.name === name + suffix);
}

function parseSample(line: string): Sample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`No sample: ${line}`);
  const [, name = '', labelText = '', value = ''] = match;
  const labels: Record<string, string> = {};
  for (let rest = labelText; rest !== '';) {
    const label = LABEL.exec(rest);
    if (label?.[1] === undefined || label[1] in labels) throw new Error(`Bad labels: ${line}`);
    labels[label[1]] = label[2] ?? '';
    rest = rest.slice(label[0].length);
  }
  return { name, labels, value: parseValue(value) };
}

function parseValue(text: string): number {
  if (/^nan$/i.test(text)) return NaN;
  if (/^[+-]Inf$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`No value: ${text}`);
  return value;
}

/** Buckets ascend, count all that is below them, and end with +Inf, which is the count. */
function checkHistogram({ name, samples }: Family): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const labels = Object.entries(sample.labels).filter(([label]) => label !== 'le');
    const key = JSON.stringify(labels.sort());
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => parseValue(labels.le ?? ''));
    const counts = buckets.map(({ value }) => value);
    const ascends = (values: readonly number[], by: (step: number) => boolean): boolean =>
      values.slice(1).every((value, index) => value === Infinity || by(value - (values[index] ?? NaN)));
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    const sound =
      ascends(bounds, (step) => step > 0) &&
      ascends(counts, (step) => step >= 0) &&
      bounds.at(-1) === Infinity &&
      counts.at(-1) === count &&
      group.some((sample) => sample.name === `${name}_sum`);
    if (!sound) throw new Error(`No sound histogram: ${name} ${key}`);
  }
}
