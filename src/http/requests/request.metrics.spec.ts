import { Registry } from 'prom-client';
import { countsOf, samplesOf } from '../../../test/support/metrics';
import { RequestMetrics } from './request.metrics';

const NAME = 'http_server_request_duration_seconds';
const REQUEST = { method: 'GET', route: '/api/Shipping/GetShippingDetails', status: 200, durationMs: 12, requestId: 'hidden', traceId: 'hidden', spanId: 'hidden', completeness: 'complete', problem: undefined }; // prettier-ignore

describe('RequestMetrics', () => {
  let registry: Registry;
  let metrics: RequestMetrics;
  beforeEach(() => {
    registry = new Registry();
    metrics = new RequestMetrics(registry);
  });

  it('D25 counts requests by route and completeness, without values of clients', async () => {
    metrics.requestCompleted(REQUEST);
    metrics.requestCompleted({ ...REQUEST, status: 499, completeness: undefined });
    expect((await countsOf(registry, NAME)).sort()).toEqual([
      `${NAME}_count{method="GET",route="/api/Shipping/GetShippingDetails",status="200",completeness="complete"} 1`,
      `${NAME}_count{method="GET",route="/api/Shipping/GetShippingDetails",status="499",completeness="none"} 1`,
    ]);
    const samples = await samplesOf(registry, NAME);
    expect(samples.join()).toContain(`${NAME}_sum{`);
    expect(samples.find((line) => line.includes('le="0.025"') && line.includes('complete"'))).toMatch(/ 1$/);
    expect(await registry.metrics()).not.toContain('hidden');
  });

  it('D25 counts unknown methods as one', async () => {
    for (const method of ['GET', 'QUERY', 'BREW', '__proto__']) metrics.requestCompleted({ ...REQUEST, method });
    const labels = 'route="/api/Shipping/GetShippingDetails",status="200",completeness="complete"';
    expect(await countsOf(registry, NAME)).toEqual([
      `${NAME}_count{method="GET",${labels}} 1`,
      `${NAME}_count{method="_OTHER",${labels}} 3`,
    ]);
  });

  it('D25 D44 reads active requests and unsent bytes at each scrape', async () => {
    let value = 11;
    metrics.show(
      () => value,
      () => value + 1,
    );
    for (value of [11, 0]) {
      expect(await samplesOf(registry, 'http_server_active_requests')).toEqual([
        `http_server_active_requests ${value}`,
      ]);
      expect(await samplesOf(registry, 'http_server_unsent_bytes')).toEqual([`http_server_unsent_bytes ${value + 1}`]);
    }
  });

  it('D25 D34 counts refused requests by cause, from zero', async () => {
    metrics.requestRefused('active-requests');
    expect(await samplesOf(registry, 'http_server_refused_requests_total')).toEqual([
      'http_server_refused_requests_total{cause="active-requests"} 1',
      'http_server_refused_requests_total{cause="unsent-bytes"} 0',
    ]);
  });
});
