import { readSandboxSettings } from './sandbox.settings';

describe('D26: the sandbox settings', () => {
  it('have defaults, also where a variable is empty', () => {
    const defaults = { host: '127.0.0.1', port: 0, records: 2_000, variant: 'extended', today: '2026-07-03' };
    expect(readSandboxSettings({})).toEqual(defaults);
    const empty = { SANDBOX_HOST: '', SANDBOX_PORT: '', SANDBOX_RECORDS: '', SANDBOX_VARIANT: '', SANDBOX_TODAY: '' };
    expect(readSandboxSettings(empty)).toEqual(defaults);
  });

  it.each([
    [{ SANDBOX_PORT: '65535', SANDBOX_RECORDS: '1', SANDBOX_VARIANT: 'basic' }, 65_535, 1, 'basic'],
    [{ SANDBOX_PORT: '0', SANDBOX_RECORDS: '1000000', SANDBOX_VARIANT: 'extended' }, 0, 1_000_000, 'extended'],
  ])('are read from %j', (environment, port, records, variant) => {
    expect(readSandboxSettings(environment)).toMatchObject({ host: '127.0.0.1', port, records, variant });
  });

  it.each(['0.0.0.0', '::', '10.0.0.7'])('listen on %j where they are told to', (host) => {
    expect(readSandboxSettings({ SANDBOX_HOST: host }).host).toBe(host);
  });

  it.each(['localhost', '256.0.0.1', ' 0.0.0.0', '*'])('refuse the address %j', (host) => {
    expect(() => readSandboxSettings({ SANDBOX_HOST: host })).toThrow(/^SANDBOX_HOST must be/);
  });

  it.each(['65536', '-1', '3000x', '0x10', '1e3', '1.0', ' 80', '+80', '٣'])('refuse the port %j', (port) => {
    expect(() => readSandboxSettings({ SANDBOX_PORT: port })).toThrow(/^SANDBOX_PORT must be/);
  });

  it.each(['0', '1000001', 'many'])('refuse the record count %j', (records) => {
    expect(() => readSandboxSettings({ SANDBOX_RECORDS: records })).toThrow(/^SANDBOX_RECORDS must be/);
  });

  it.each(['Extended', 'full', '__proto__'])('refuse the variant %j', (variant) => {
    expect(() => readSandboxSettings({ SANDBOX_VARIANT: variant })).toThrow(/^SANDBOX_VARIANT must be one of/);
  });

  it.each(['2000-01-01', '2028-02-29', '9999-12-31'])('take the day %s', (today) => {
    expect(readSandboxSettings({ SANDBOX_TODAY: today }).today).toBe(today);
  });

  it('take today for the day in UTC', () => {
    jest.useFakeTimers({ now: Date.parse('2031-05-06T23:59:59-02:00') });
    expect(readSandboxSettings({ SANDBOX_TODAY: 'today' }).today).toBe('2031-05-07');
    jest.useRealTimers();
  });

  it.each(['1999-12-31', '2026-02-29', '2026-13-01', '2026-7-3', '2026-07-03T00:00Z', 'Today', 'now'])(
    'refuse the day %j',
    (today) => {
      expect(() => readSandboxSettings({ SANDBOX_TODAY: today })).toThrow(/^SANDBOX_TODAY must be/);
    },
  );

  it('name every fault at once', () => {
    const environment = { SANDBOX_PORT: 'a', SANDBOX_RECORDS: 'b', SANDBOX_VARIANT: 'c', SANDBOX_TODAY: 'd' };
    expect(() => readSandboxSettings(environment)).toThrow(
      /SANDBOX_PORT.*\n.*SANDBOX_RECORDS.*\n.*SANDBOX_VARIANT.*\n.*SANDBOX_TODAY/,
    );
  });
});
