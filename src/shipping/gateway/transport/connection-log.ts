import { Injectable, Logger } from '@nestjs/common';

/** Logs why the external system is unreachable, and when it is reachable again. The codes hold no value of a client. */
@Injectable()
export class ConnectionLog {
  private readonly logger = new Logger(ConnectionLog.name);
  private code: string | undefined;

  /** The code of the last failure, such as `ECONNREFUSED`; `undefined` while connections succeed. */
  get error(): string | undefined {
    return this.code;
  }

  failed(code: string): void {
    if (code === this.code) return;
    this.code = code;
    this.logger.warn(`The external system is unreachable: ${code}`);
  }

  succeeded(): void {
    if (this.code === undefined) return;
    this.code = undefined;
    this.logger.log('The external system is reachable');
  }
}
