/** One sample of a metric, without its value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A metric with all of its samples. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: Sample[];
}

const TYPE = /^# TYPE (\S+) (\S+)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format of Prometheus (0.0.4). */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, Family>();
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    const [, family, type = ''] = TYPE.exec(line) ?? [];
    const [, name, labels = ''] = SAMPLE.exec(line) ?? [];
    if (family !== undefined) families.set(family, (current = { name: family, type, samples: [] }));
    else if (name !== undefined) current?.samples.push({ name, labels: labelsIn(labels) });
  }
  return families;
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
}
