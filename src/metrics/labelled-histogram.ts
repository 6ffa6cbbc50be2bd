import type { Histogram, Registry } from 'prom-client';

type LabelValue = string | number;

/** What was observed under the first few, or all, of the label values. */
class Node {
  readonly narrower = new Map<LabelValue, Node>();
  /** Observations by the bucket they fell into; those above the last bound come last. */
  readonly counts: number[];
  sum = 0;

  constructor(
    readonly labels: Readonly<Record<string, LabelValue>>,
    buckets: number,
  ) {
    this.counts = new Array<number>(buckets + 1).fill(0);
  }
}

export interface LabelledHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly registers: readonly Registry[];
}

/**
 * A histogram for the hot path. That of prom-client puts the labels of each observation together to one text and looks
 * that up; here each label value is one step down a tree. Exposed by prom-client like its own.
 */
export class LabelledHistogram {
  readonly name: string;
  readonly help: string;
  private readonly root: Node;
  private readonly series: Node[] = [];

  constructor(private readonly options: LabelledHistogramOptions) {
    this.name = options.name;
    this.help = options.help;
    this.root = new Node({}, 0);
    // All that a registry asks of a metric is its name, help, type and values.
    for (const registry of options.registers) registry.registerMetric(this as unknown as Histogram);
  }

  /** @param labels one value for each of `labelNames`, in their order */
  observe(value: number, ...labels: LabelValue[]): void {
    let node = this.root;
    for (const label of labels) node = node.narrower.get(label) ?? this.grow(node, labels, label);
    const { buckets } = this.options;
    let bucket = 0;
    while (value > (buckets[bucket] ?? Infinity)) bucket += 1;
    node.counts[bucket] = (node.counts[bucket] ?? 0) + 1;
    node.sum += value;
  }

  /** The values as prom-client writes them. */
  get(): Promise<unknown> {
    const values = this.series.flatMap((node) => this.valuesOf(node));
    return Promise.resolve({ name: this.name, help: this.help, type: 'histogram', aggregator: 'sum', values });
  }

  /** Forgets all observations. */
  reset(): void {
    this.root.narrower.clear();
    this.series.length = 0;
  }

  private grow(parent: Node, labels: readonly LabelValue[], label: LabelValue): Node {
    const { labelNames, buckets } = this.options;
    const name = labelNames[Object.keys(parent.labels).length];
    if (name === undefined || labels.length !== labelNames.length) {
      throw new Error(`${this.name} has the labels ${labelNames.join(', ')}`);
    }
    const node = new Node({ ...parent.labels, [name]: label }, buckets.length);
    parent.narrower.set(label, node);
    if (Object.keys(node.labels).length === labelNames.length) this.series.push(node);
    return node;
  }

  private valuesOf({ labels, counts, sum }: Node): unknown[] {
    let count = 0;
    const buckets = counts.map((inBucket, index) => {
      count += inBucket;
      return {
        metricName: `${this.name}_bucket`,
        labels: { le: this.options.buckets[index] ?? '+Inf', ...labels },
        value: count,
      };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
