import { execFile } from 'node:child_process';
import type { Logger } from 'pino';

/**
 * Reports to systemd, where its unit asks for it (`Type=notify`, `WatchdogSec=`), that the service listens, and from
 * then on twice in each period that its event loop turns: systemd kills and restarts a process that hangs. Node has no
 * datagram sockets of Unix, so that the program of systemd sends the messages.
 */
export function reportToServiceManager(logger: Logger): void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = process.env;
  if (NOTIFY_SOCKET === undefined) return;
  execFile('systemd-notify', ['READY=1'], (error) => {
    if (error !== null) logger.error(`systemd-notify failed: ${error.message}`);
  });
  if (WATCHDOG_USEC === undefined) return;
  // A message that is lost is missed by systemd only where the next one is lost, too.
  setInterval(() => execFile('systemd-notify', ['WATCHDOG=1'], () => undefined), Number(WATCHDOG_USEC) / 2000).unref();
}
