import { read } from './support/files';
import { environmentFaults } from './support/known-settings';

/** The options of a unit file by name; of two with one name, the last. */
function optionsOf(unit: string): Record<string, string> {
  const lines = unit.split('\n').filter((line) => /^[A-Z]\w*=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.replace(/=.*/, ''), line.replace(/^[^=]*=/, '')]));
}

function environmentOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]));
}

describe('the systemd unit', () => {
  const options = optionsOf(read('deploy/systemd/shipping-query-service@.service'));

  it('starts the service as npm start does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    expect(options.ExecStart).toBe(`/usr/bin/${scripts.start}`);
  });

  it('lets every process share the port and have probes of its own', () => {
    const { REUSE_PORT, MANAGEMENT_PORT, ...others } = environmentOf(options.Environment ?? '');
    expect(REUSE_PORT).toBe('true');
    expect(MANAGEMENT_PORT).toMatch(/^\d{3}%i$/);
    const external = { EXTERNAL_SHIPPING_BASE_URL: 'https://shipping.example' };
    const first = { ...others, ...external, MANAGEMENT_PORT: MANAGEMENT_PORT?.replace('%i', '1') ?? '' };
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
