import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port';
import { temporaryFolder } from '../checks';
import { ServerProcess } from '../server-process';

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}
interface Rule {
  readonly annotations: Readonly<Record<string, string>>;
}

const FIRING = 'ALERTS{alertstate="firing"}';

/** A Prometheus that scrapes one replica every two seconds. */
export class Prometheus {
  private constructor(private readonly server: ServerProcess) {}

  /** @param factor by which the windows and times of the rules are divided */
  static async start(rules: string, scrapedPort: number, factor: number): Promise<Prometheus> {
    const folder = temporaryFolder('shipping-prometheus');
    const shorter = rules.replaceAll(/(\[|for: )(\d+)([mh])/g, (_, before: string, length: string, unit: string) => {
      return `${before}${(Number(length) * (unit === 'h' ? 3600 : 60)) / factor}s`;
    });
    const intervals = 'scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s';
    const targets = `static_configs: [{ targets: ['127.0.0.1:${scrapedPort}'] }]`;
    const config = [
      `global: { ${intervals}, external_labels: { runbooks: 'https://runbooks.example/' } }`,
      'rule_files: [alerts.yaml]',
      `scrape_configs: [{ job_name: shipping-query-service, ${targets} }]`,
    ];
    writeFileSync(join(folder, 'alerts.yaml'), shorter);
    writeFileSync(join(folder, 'prometheus.yaml'), config.join('\n'));
    const port = await freePort();
    const places = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
    const entry = ['prometheus', ...places, `--web.listen-address=127.0.0.1:${port}`] as const;
    return new Prometheus(await ServerProcess.start({ name: 'prometheus', entry, port, readyAt: '/-/ready' }));
  }

  /** The values of an expression now; throws where Prometheus refuses it. */
  async query(expression: string): Promise<string[]> {
    return (await this.samples(expression)).map(({ value: [, value] }) => value);
  }

  /** The names of the alerts that have fired so far. */
  async fired(): Promise<string[]> {
    return (await this.samples(`count_over_time(${FIRING}[1h])`)).map(({ metric }) => String(metric.alertname));
  }

  /** The names of the alerts that fire. */
  async firing(): Promise<string[]> {
    return (await this.samples(FIRING)).map(({ metric }) => String(metric.alertname));
  }

  /** The links of the alerts that are pending or fire. */
  async links(): Promise<string[]> {
    const { alerts } = await this.get<{ alerts: Rule[] }>('alerts');
    return alerts.map(({ annotations }) => String(annotations.runbook_url));
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  private async samples(query: string): Promise<Sample[]> {
    return (await this.get<{ result: Sample[] }>(`query?${String(new URLSearchParams({ query }))}`)).result;
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.server.url}/api/v1/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return (JSON.parse(text) as { readonly data: T }).data;
  }
}
