import { Injectable, Logger } from '@nestjs/common';

/** Each credential is recognised by its object. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** Port: the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /** @throws {UpstreamFailure} where the credential cannot be fetched */
  abstract headers(): CredentialHeaders | Promise<CredentialHeaders>;

  /** The credential for a repetition after 401; `undefined` where there is no other. */
  replace?(rejected: CredentialHeaders): CredentialHeaders | Promise<CredentialHeaders> | undefined;
}

/** An operation is logged at most this often. */
const QUIET_MS = 60_000;

/** Logs refused credentials. */
@Injectable()
export class CredentialLog {
  private readonly logger = new Logger(CredentialLog.name);
  private readonly loggedAt = new Map<string, number>();

  responded(operation: string, status: number): void {
    if (status !== 401 && status !== 403) return;
    const now = performance.now();
    if (now - (this.loggedAt.get(operation) ?? -Infinity) < QUIET_MS) return;
    this.loggedAt.set(operation, now);
    this.logger.warn(`The external system refuses the credentials of the service: status ${status} for ${operation}`);
  }
}
