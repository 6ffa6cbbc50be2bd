import { load } from 'js-yaml';
import { Registry } from 'prom-client';
import { LogDestination } from '../../src/observability/logging/log-destination';
import { GatewayMetrics } from '../../src/shipping/gateway/gateway.metrics';
import { json, status } from '../../testing/upstream/responses';
import { DETAILS, OPERATIONS } from '../support/operations';
import { read } from '../support/read';
import { startScriptedService } from '../support/service';

const FUNCTIONS =
  /\b(absent|changes|count(?:_over_time)?|histogram_quantile|(?:max|min)(?:_over_time)?|rate|sum|time)\s*\(/g;
const GROUPING = /\b(?:by|without)\s*\(([^()]*)\)/g;
const SELECTOR = /\b(?!(?:or|unless)\b)([a-z_]\w+)(?:\{([^{}]*)\})?/g;

/** The metrics that an expression of PromQL selects, with the labels of each, and the labels that it groups by. */
function readExpression(expression: string): { metrics: [name: string, labels: string[]][]; groupings: string[] } {
  const plain = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[(?:\$__rate_interval|\d+m(?::\d+m)?)\]| offset \d+m/g, '');
  const groupings = [...plain.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.split(/,\s*/));
  const selectors = plain.replace(GROUPING, '').replace(FUNCTIONS, '(');
  const metrics = [...selectors.matchAll(SELECTOR)].map(([, name = '', matchers = '']): [string, string[]] => [
    name,
    [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  ]);
  return { metrics, groupings };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const RUNBOOK = read('docs/alerts.md');
const TESTS = read('deploy/prometheus/alerts.test.yaml');
const { panels } = JSON.parse(read('deploy/grafana/shipping-query-service.json')) as { panels: Panel[] };
const alerts = load(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = alerts.groups.flatMap((group) => group.rules);
/** Each expression with the text whose labels it has to keep. */
type Expression = readonly [where: string, expression: string, labelled: string];
const EXPRESSIONS = [
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }): Expression => [`panel ${title}`, expr, legendFormat]),
  ),
  ...rules.map(({ alert, expr, annotations }): Expression => [`alert ${alert}`, expr, String(annotations.summary)]),
];
/** Of the balancer, whose metrics test/deploy/balancer.spec.ts compares with those that it has. */
const isOfBalancer = (expression: string): boolean => expression.includes('job="shipping-balancer"');

describe('D70 dashboard and alerts', () => {
  let registered: Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

  beforeAll(async () => {
    // Nothing listens there: the service has the metric of Redis nevertheless.
    const env = { EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', CACHE_TTL_MS: '60000', REDIS_URL: 'redis://127.0.0.1:1' };
    const { service, upstream, close } = await startScriptedService(env);
    // Only the logger of a process counts them.
    new LogDestination(service.app.get(Registry));
    // Only TLS has certificates.
    service.app.get(GatewayMetrics, { strict: false }).certificateSeen('server', '2030-01-01');
    upstream.respondWith(json());
    for (const { request } of OPERATIONS) await service.request(request);
    upstream.respondWith(status(500));
    await service.request(DETAILS.request);
    registered = await service.app.get(Registry).getMetricsAsJSON();
    await close();
  });

  /** The labels of a metric by the name of its samples, those of Prometheus included; none where there is no such metric. */
  const labelsOf = (name: string): string[] => {
    const samples = registered.flatMap(({ name: own, values }) =>
      values.filter((value) => ('metricName' in value ? value.metricName : own) === name),
    );
    if (samples.length === 0 && name !== 'up') return [];
    return ['job', 'instance', 'namespace', ...samples.flatMap(({ labels }) => Object.keys(labels))];
  };

  it.each(EXPRESSIONS.filter(([, expression]) => !isOfBalancer(expression)))(
    '%s is valid',
    (_, expression, labelled) => {
      const { metrics, groupings } = readExpression(expression);
      expect(metrics).not.toHaveLength(0);
      for (const [name, labels] of metrics) {
        expect([name, labelsOf(name)]).toEqual([name, expect.arrayContaining(['job', ...labels, ...groupings])]);
      }
      const shown = [...labelled.matchAll(/\{\{ ?(?:\$labels\.)?(\w+)/g)].map(([, label = '']) => label);
      const kept = groupings.length > 0 ? groupings : metrics.flatMap(([name]) => labelsOf(name));
      expect(kept).toEqual(expect.arrayContaining(shown));
    },
  );

  it('the dashboard or an alert reads every metric of the service', () => {
    const used = EXPRESSIONS.flatMap(([, expression]) => readExpression(expression).metrics.map(([name]) => name));
    const own = registered.map(({ name }) => name).filter((name) => !/^(nodejs|process)_/.test(name));
    expect(own.filter((name) => !used.some((one) => one.replace(/_(bucket|count|sum)$/, '') === name))).toEqual([]);
  });

  it('D84 D87 every expression names the job, none a prefix', () => {
    for (const [where, expression] of EXPRESSIONS) {
      const { metrics } = readExpression(expression);
      for (const [name, labels] of metrics)
        expect([where, name, labels]).toEqual([where, name, expect.arrayContaining(['job'])]);
      expect(expression).not.toContain('route=~"/');
    }
    for (const alert of rules) expect(TESTS).toContain(`alertname: ${alert.alert}`);
  });

  it('docs/alerts.md has a section for each alert', () => {
    const sections = [...RUNBOOK.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
    const places = rules.map(({ alert }) => `{{ $externalLabels.runbooks }}docs/alerts.md#${alert.toLowerCase()}`);
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(places);
    const named = [...RUNBOOK.matchAll(/(?<!\*)\*([A-Z][^*]+)\*(?!\*)/g)].map(([, name]) => name);
    expect(panels.map(({ title }) => title)).toEqual(expect.arrayContaining(named));
  });
});
