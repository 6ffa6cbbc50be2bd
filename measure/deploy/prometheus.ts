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

/** A running Prometheus. */
export class Prometheus {
  private constructor(private readonly server: ServerProcess) {}

  /** @param config its configuration, which reads the rules from `alerts.yaml` */
  static async start(config: string, rules: string): Promise<Prometheus> {
    const folder = temporaryFolder('shipping-prometheus');
    writeFileSync(join(folder, 'alerts.yaml'), rules);
    writeFileSync(join(folder, 'prometheus.yaml'), config);
    const port = await freePort();
    const places = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
    const entry = ['prometheus', ...places, `--web.listen-address=127.0.0.1:${port}`] as const;
    return new Prometheus(await ServerProcess.start({ name: 'prometheus', entry, port, readyAt: '/-/ready' }));
  }

  /** The values of an expression now; throws where Prometheus refuses it. */
  async query(expression: string): Promise<string[]> {
    return (await this.samples(expression)).map(({ value: [, value] }) => value);
  }

  /** The names of the alerts that fire, or that have fired so far. */
  async alerts(when: 'now' | 'so far'): Promise<string[]> {
    const samples = await this.samples(when === 'now' ? FIRING : `count_over_time(${FIRING}[1h])`);
    return samples.map(({ metric }) => String(metric.alertname));
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
