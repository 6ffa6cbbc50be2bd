import { Injectable, Logger } from '@nestjs/common';
import { isSuccess } from '../../../resilience/http-failures';

/** Statuses by which the external system refuses a credential. */
const REFUSAL_STATUSES: readonly number[] = [401, 403];

/** Where single requests get 403, as from a firewall, an operation is reported at most this often. */
const QUIET_MS = 60_000;

/** Keeps which operations the external system refuses for their credential, and logs each change. */
@Injectable()
export class CredentialState {
  private readonly logger = new Logger(CredentialState.name);
  private readonly refused = new Map<string, number>();
  private readonly logged = new Map<string, { status?: number; readonly at: number }>();

  /** Statuses that say nothing about the credential change nothing. */
  responded(operation: string, status: number): void {
    if (REFUSAL_STATUSES.includes(status)) this.refuse(operation, status);
    else if (isSuccess(status) || status === 404) this.accept(operation);
  }

  private refuse(operation: string, status: number): void {
    this.refused.set(operation, status);
    const now = performance.now();
    const { status: known, at = -Infinity } = this.logged.get(operation) ?? {};
    if (known === status || now - at < QUIET_MS) return;
    this.logged.set(operation, { status, at: now });
    this.logger.warn(`The external system refuses the credentials of the service: status ${status} for ${operation}`);
  }

  private accept(operation: string): void {
    if (!this.refused.delete(operation)) return;
    const logged = this.logged.get(operation);
    if (logged?.status === undefined) return;
    logged.status = undefined;
    this.logger.log(`The external system accepts the credentials of the service for ${operation}`);
  }
}
