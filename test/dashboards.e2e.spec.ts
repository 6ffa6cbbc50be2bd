import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { countDroppedLines } from '../src/observability/logging/create-logger';
import { parseExposition, type Family } from './support/exposition';
import { DETAILS, OPERATIONS } from './support/operations';
import { startScriptedService } from './support/service';
import { json, status } from './support/upstream/responses';

/** What an expression of PromQL asks for. */
interface Selection {
  /** Metrics by name, each with the labels that it is selected by. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels that results are grouped or matched by. */
  readonly groupings: readonly string[];
}

const FUNCTIONS = new Set(
  ['absent', 'changes', 'count', 'histogram_quantile', 'increase', 'max', 'min', 'rate', 'sum'], // prettier-ignore
);
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)/g;
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);
const SELECTOR = /([a-zA-Z_:][\w:]*)(\s*\()?(?:\{([^{}]*)\})?/g;
const MATCHER = /^\s*([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*""\s*$/;

/** Reads as much of an expression as it takes to know what it asks for. Throws where it cannot be one. */
function readExpression(expression: string): Selection {
  // What stands in quotes is of no interest here, and may hold anything.
  const plain = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (!isBalanced(plain)) throw new Error(`Unbalanced: ${expression}`);
  const groupings: string[] = [];
  const rest = plain.replace(/\[(?:\$__rate_interval|\d+[smhd])\]/g, ' ').replace(GROUPING, (_, labels: string) => {
    groupings.push(...labels.split(',').map((label) => label.trim()));
    return ' ';
  });
  const metrics: { name: string; labels: string[] }[] = [];
  for (const [, name = '', call, matchers] of rest.matchAll(SELECTOR)) {
    if (WORDS.has(name)) continue;
    if (call === undefined) metrics.push({ name, labels: matchers === undefined ? [] : labelsOf(matchers) });
    else if (!FUNCTIONS.has(name)) throw new Error(`Unknown function ${name}`);
  }
  return { metrics, groupings };
}

function labelsOf(matchers: string): string[] {
  return matchers.split(',').map((matcher) => {
    const name = MATCHER.exec(matcher)?.[1];
    if (name === undefined) throw new Error(`No matcher: ${matcher}`);
    return name;
  });
}

function isBalanced(expression: string): boolean {
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  for (const character of expression) {
    if ('([{'.includes(character)) open.push(character);
    else if (character in pairs && open.pop() !== pairs[character]) return false;
  }
  return open.length === 0;
}

const ROOT = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What Prometheus adds to every series, and the one metric that it makes itself. */
const TARGET_LABELS = ['job', 'instance'];
const OWN_METRICS = ['up'];

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const dashboard = JSON.parse(read('deploy/grafana/shipping-query-service.json')) as {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

const EXPRESSIONS: readonly (readonly [where: string, expression: string])[] = [
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`panel ${title}`, expr] as const)),
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
];

describe('dashboard and alerts', () => {
  let families: ReadonlyMap<string, Family>;

  beforeAll(async () => {
    const { service, upstream, close } = await startScriptedService({
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      CACHE_TTL_MS: '60000',
    });
    // As main.ts does: the output belongs to the process.
    countDroppedLines(service.app.get(Registry), { dropped: 0 });
    upstream.respondWith(json());
    for (const { request } of OPERATIONS) await service.request(request);
    upstream.respondWith(status(500));
    await service.request(DETAILS.request);
    families = parseExposition((await service.get('/metrics')).body);
    await close();
  });

  /** The labels of a metric by the name of its samples; `undefined` where the service has no such metric. */
  const labelsOf = (name: string): string[] | undefined => {
    if (OWN_METRICS.includes(name)) return TARGET_LABELS;
    const samples = [...families.values()].flatMap((family) => family.samples).filter((one) => one.name === name);
    if (samples.length === 0) return undefined;
    return [...TARGET_LABELS, ...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))];
  };

  it.each(EXPRESSIONS)('%s queries existing metrics', (_, expression) => {
    const { metrics, groupings } = readExpression(expression);
    expect(metrics).not.toHaveLength(0);
    for (const { name, labels } of metrics) {
      const known = labelsOf(name);
      expect([name, known]).toEqual([name, expect.any(Array)]);
      for (const label of [...labels, ...groupings]) expect(known).toContain(label);
    }
  });

  it('the panels that choose replicas query existing metrics', () => {
    const definitions = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    expect(definitions).toEqual(['label_values(http_server_active_requests, instance)']);
    expect(labelsOf('http_server_active_requests')).toContain('instance');
  });

  it('every metric of the service is on the dashboard', () => {
    const shown = new Set(
      EXPRESSIONS.flatMap(([, expression]) => readExpression(expression).metrics.map(({ name }) => name)),
    );
    const own = [...families.keys()].filter((name) =>
      /^(http_server|external_shipping|shipping|log_lines)_/.test(name),
    );
    const isShown = (name: string): boolean =>
      ['', '_bucket', '_count', '_sum'].some((suffix) => shown.has(name + suffix));
    expect(own.filter((name) => !isShown(name))).toEqual([]);
  });

  it('panels have a title and a description, and do not overlap', () => {
    const { length } = dashboard.panels;
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(length);
    expect(panels.filter(({ description }) => description === undefined)).toEqual([]);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it('a legend names labels that the expression keeps', () => {
    for (const { targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
        expect(readExpression(expr).groupings).toEqual(expect.arrayContaining(named));
      }
    }
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s has a summary and a remedy', (_, rule) => {
    expect(['warning', 'critical']).toContain(rule.labels.severity);
    expect(rule.for ?? '0m').toMatch(/^\d+m$/);
    expect(rule.annotations).toEqual({
      summary: expect.any(String),
      description: expect.any(String),
      runbook: expect.stringMatching(/^docs\/alerts\.md#[a-z-]+$/),
    });
    const [path = '', anchor] = rule.annotations.runbook?.split('#') ?? [];
    const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings).toContain(anchor);
    const named = [
      ...Object.values(rule.annotations)
        .join()
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label]) => label);
    const { metrics, groupings } = readExpression(rule.expr);
    const kept = groupings.length > 0 ? groupings : metrics.flatMap(({ name }) => labelsOf(name) ?? []);
    expect(kept).toEqual(expect.arrayContaining(named));
  });

  it('every alert is listed in the runbook', () => {
    const listed = [...read('docs/alerts.md').matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name);
    expect(listed).toEqual(expect.arrayContaining(rules.map(({ alert }) => alert)));
  });

  it('alerts have different names', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});
