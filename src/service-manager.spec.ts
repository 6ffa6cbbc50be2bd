import { execFile } from 'node:child_process';
import { pino } from 'pino';
import { useEnvironment } from '../test/support/environment';
import { reportToServiceManager } from './service-manager';

jest.mock('node:child_process');

useEnvironment({ NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '20000000' });

it('D87 the watchdog of systemd gets two messages a period', () => {
  jest.useFakeTimers();
  reportToServiceManager(pino({ level: 'silent' }));
  jest.advanceTimersByTime(20_000);
  const sent = jest.mocked(execFile).mock.calls.map(([, argument]) => argument);
  expect(sent).toEqual([['READY=1'], ['WATCHDOG=1'], ['WATCHDOG=1']]);
  jest.useRealTimers();
});
