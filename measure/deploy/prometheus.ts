import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port';
import { temporaryFolder } from '../checks';
import { ServerProcess } from '../server-process';

interface Reply<T> {
  readonly data: T;
}
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}
interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A Prometheus that scrapes one replica every two seconds. */
export class Prometheus {
  private constructor(private readonly server: ServerProcess) {}

  /** @param factor by which the windows and times of the rules are divided */
  static async start(rules: string, scrapedPort: number, factor: number): Promise<Prometheus> {
    const folder = temporaryFolder('shipping-prometheus');
    const shorter = rules.replaceAll(/(\[|for: )(\d+)([mh])/g, (_, before: string, length: string, unit: string) => {
      return `${before}${(Number(length) * (unit === 'h' ? 3600 : 60)) / factor}s`;
    });
    writeFileSync(join(folder, 'alerts.yaml'), shorter);
    writeFileSync(
      join(folder, 'prometheus.yaml'),
      `global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s, external_labels: { runbooks: 'https://runbooks.example/' } }
rule_files: [alerts.yaml]
scrape_configs: [{ job_name: shipping-query-service, static_configs: [{ targets: ['127.0.0.1:${scrapedPort}'] }] }]
`,
    );
    const port = await freePort();
    const options = [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const entry = ['prometheus', ...options] as const;
    return new Prometheus(await ServerProcess.start({ name: 'prometheus', entry, port, readyAt: '/-/ready' }));
  }

  /** The values of an expression now; throws where Prometheus refuses it. */
  async query(expression: string): Promise<string[]> {
    return (await this.samples(expression)).map(({ value: [, value] }) => value);
  }

  /** The names of the alerts that have fired so far. */
  async fired(): Promise<string[]> {
    const samples = await this.samples('count_over_time(ALERTS{alertstate="firing"}[1h])');
    return samples.map(({ metric }) => String(metric.alertname));
  }

  /** The names of the alerts that fire. */
  async firing(): Promise<string[]> {
    return (await this.alerts()).map(({ labels }) => String(labels.alertname));
  }

  async links(): Promise<string[]> {
    return (await this.alerts()).map(({ annotations }) => String(annotations.runbook_url));
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  private async samples(query: string): Promise<Sample[]> {
    return (await this.get<{ result: Sample[] }>('query', { query })).result;
  }

  private async alerts(): Promise<Alert[]> {
    const { alerts } = await this.get<{ alerts: Alert[] }>('alerts', {});
    return alerts.filter(({ state }) => state === 'firing');
  }

  private async get<T>(path: string, parameters: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.server.url}/api/v1/${path}?${String(new URLSearchParams(parameters))}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return (JSON.parse(text) as Reply<T>).data;
  }
}
