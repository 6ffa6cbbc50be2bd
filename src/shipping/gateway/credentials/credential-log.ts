import { Injectable, Logger } from '@nestjs/common';

/** Where single requests are refused, as by a firewall, an operation is logged at most this often. */
const QUIET_MS = 60_000;

/** Logs that the external system refuses the credential of the service. */
@Injectable()
export class CredentialLog {
  private readonly logger = new Logger(CredentialLog.name);
  private readonly loggedAt = new Map<string, number>();

  /** Statuses other than 401 and 403 log nothing. */
  responded(operation: string, status: number): void {
    if (status !== 401 && status !== 403) return;
    const now = performance.now();
    if (now - (this.loggedAt.get(operation) ?? -Infinity) < QUIET_MS) return;
    this.loggedAt.set(operation, now);
    this.logger.warn(`The external system refuses the credentials of the service: status ${status} for ${operation}`);
  }
}
