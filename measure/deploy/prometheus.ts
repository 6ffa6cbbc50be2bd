import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port';
import { execute, temporaryFolder } from '../checks';
import { ServerProcess } from '../server-process';

interface Alerts {
  readonly data: { readonly alerts: readonly { readonly annotations: Readonly<Record<string, string>> }[] };
}

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

  /** The series of an expression now, each in a line: `{labels} => value @[time]`. Rejects where it is refused. */
  async query(expression: string): Promise<string> {
    return (await execute('promtool', ['query', 'instant', this.server.url, expression])).trim();
  }

  /** The links of the alerts that are pending or fire. */
  async links(): Promise<string[]> {
    const { data } = (await (await fetch(`${this.server.url}/api/v1/alerts`)).json()) as Alerts;
    return data.alerts.map(({ annotations }) => String(annotations.runbook_url));
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
