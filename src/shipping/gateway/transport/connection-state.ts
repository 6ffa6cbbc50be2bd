import { Injectable, Logger } from '@nestjs/common';
import { explain } from './error-codes';

/** Keeps why the last connection to the external system failed, and logs each change. The codes hold no value of a client. */
@Injectable()
export class ConnectionState {
  private readonly logger = new Logger(ConnectionState.name);
  private code: string | undefined;

  /** The code of the last failure, such as `ECONNREFUSED`; `undefined` while connections succeed. */
  get error(): string | undefined {
    return this.code;
  }

  failed(error: Error & { code?: string }): void {
    const code = error.code ?? error.name;
    if (code === this.code) return;
    this.code = code;
    this.logger.warn(`The external system is unreachable: ${explain(code)}`);
  }

  succeeded(): void {
    if (this.code === undefined) return;
    this.code = undefined;
    this.logger.log('The external system is reachable');
  }
}
