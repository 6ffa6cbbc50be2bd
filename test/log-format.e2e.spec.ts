import { ServiceProcess } from './faults/support/service-process';

const ENVIRONMENT = { EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' };

describe('the form of the log where standard output is no terminal', () => {
  it.each(['auto', 'json'])('D39 LOG_FORMAT=%s is JSON, with one line for the start', async (format) => {
    const service = await ServiceProcess.start({ ...ENVIRONMENT, LOG_FORMAT: format });
    await fetch(`${service.url}/health/live`);
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    const lines = service.log;
    expect(lines.every(({ level, time }) => typeof level === 'number' && typeof time === 'number')).toBe(true);
    expect(lines[0]).toMatchObject({ address: service.url, docs: `${service.url}/docs` });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', route: '/health/live' }));
  });

  it('D39 LOG_FORMAT=pretty is text, with three lines for the start', async () => {
    const service = ServiceProcess.spawn({ ...ENVIRONMENT, LOG_FORMAT: 'pretty' });
    await service.until(() => service.stdout.includes('External system'), 'listening');
    const [, url = ''] = /Service: +(\S+)/.exec(service.stdout) ?? [];
    await fetch(`${url}/api/Shipping/GetShippingDetails?SearchTerm=%1b%5b2J`, { headers: { 'X-Request-Id': 'R-1' } });
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    const lines = service.stdout.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
    expect(lines.slice(0, 3)).toEqual([
      `INFO  Service:         ${url}`,
      `INFO  Documentation:   ${url}/docs`,
      'INFO  External system: http://127.0.0.1:9/',
    ]);
    const request = /^INFO {2}GET \/api\/Shipping\/GetShippingDetails 400 [\d.]+ ms invalid-parameters \(R-1\)$/;
    expect(lines).toContainEqual(expect.stringMatching(request));
  });
});
