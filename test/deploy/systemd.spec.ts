import { pairsIn, read } from './support/files';
import { environmentFaults } from './support/known-settings';

describe('the systemd unit', () => {
  const lines = read('deploy/systemd/shipping-query-service@.service').split('\n');
  const options = pairsIn(lines.filter((line) => /^[A-Z]\w*=/.test(line)));

  it('starts the service as npm start does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    expect(options.ExecStart).toBe(`/usr/bin/${scripts.start}`);
  });

  it('gives every process ports of its own', () => {
    const { PORT, MANAGEMENT_PORT, ...others } = pairsIn((options.Environment ?? '').split(' '));
    expect([PORT, MANAGEMENT_PORT]).toEqual(['300%i', '909%i']);
    const external = { EXTERNAL_SHIPPING_BASE_URL: 'https://shipping.example' };
    const first = { ...others, ...external, PORT: '3001', MANAGEMENT_PORT: '9091' };
    expect(environmentFaults(first, 'service')).toEqual([]);
  });

  it('D27 waits until the service has drained, and protects the machine', () => {
    expect(Number(options.TimeoutStopSec)).toBeGreaterThan(25);
    expect(options).toMatchObject({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      CapabilityBoundingSet: '',
      MemoryMax: '512M',
    });
  });
});
