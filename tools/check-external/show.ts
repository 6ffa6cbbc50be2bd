import { HttpService } from '@nestjs/axios';
import { printCauses } from '#src/common/errors';
import { ExternalShippingGateway, GatewayModule, jobContext, UpstreamFailure } from '#src/index';
import { requestOf } from '#src/shipping/queries/get-shipping-details/get-shipping-details.query';
import type { AxiosAdapter } from 'axios';
import { type CheckOptions, withApplication } from './check';

const MAX_SHOWN = 4096;

/**
 * Requests one record of the unpaged list as the service does, with its path, credential and TLS. Returns what came, and
 * what the service makes of it. Unlike a report of the check, the text may have values of a record.
 *
 * @throws as `checkExternalSystem` does, where no request can be sent
 */
export function showResponse(options: CheckOptions): Promise<string> {
  return withApplication(options, async (app, url) => {
    const lines: string[] = [];
    const { defaults } = app.select(GatewayModule).get(HttpService).axiosRef;
    const adapter = defaults.adapter as AxiosAdapter;
    defaults.adapter = async (config) => {
      const response = await adapter(config);
      const { status, headers } = response;
      const data: unknown = response.data;
      const body = data instanceof UpstreamFailure ? printCauses(data.causes) : String(data);
      const type = String(headers['content-type'] ?? 'none');
      lines.push(`GET ${url.replace(/\/$/, '')}${config.url}`, `status ${status}, content type ${type}`, '');
      lines.push(body.slice(0, MAX_SHOWN), '');
      return response;
    };
    const gateway = app.get(ExternalShippingGateway, { strict: false });
    const outcome = await gateway.list(requestOf({ Limit: 1 }), jobContext({ strict: true })).then(
      ({ completeness: { level, causes = [] } }) => [level, ...(causes.length > 0 ? [printCauses(causes)] : [])],
      (error: unknown) => ['failed', error instanceof UpstreamFailure ? printCauses(error.causes) : String(error)],
    );
    return [...lines, outcome.join(': '), ''].join('\n');
  });
}
