import type { ReloadedFiles } from '../../../config/reloaded-files';
import type { AbortEmitter } from '../../../common/abort-emitter';

/** The headers that authenticate a request. Each credential has an object of its own, by which it is recognised. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** Port: the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /**
   * The current credential. A promise only where it has to be fetched first.
   *
   * @throws {UpstreamFailure} where it cannot be fetched
   */
  abstract headers(abort: AbortEmitter): CredentialHeaders | Promise<CredentialHeaders>;

  /**
   * The credential to repeat a request with that got 401; `undefined` where there is no other.
   *
   * @throws {UpstreamFailure} where it cannot be fetched
   */
  abstract replace(
    rejected: CredentialHeaders,
    abort: AbortEmitter,
  ): CredentialHeaders | Promise<CredentialHeaders> | undefined;
}

/** A credential that never changes; empty headers are none. */
export class StaticCredentials extends UpstreamCredentials {
  constructor(private readonly fixed: CredentialHeaders) {
    super();
  }

  override headers(): CredentialHeaders {
    return this.fixed;
  }

  override replace(): undefined {
    return undefined;
  }
}

/** A credential in a file, which is read again when it changes, and after a 401. */
export class FileCredentials extends UpstreamCredentials {
  private value: string;
  private shown: CredentialHeaders;

  /** @param headersOf the headers that carry a value */
  constructor(
    private readonly file: ReloadedFiles<string>,
    private readonly headersOf: (value: string) => CredentialHeaders,
  ) {
    super();
    this.value = file.current;
    this.shown = headersOf(this.value);
  }

  override headers(): CredentialHeaders {
    return this.show(this.file.current);
  }

  override replace(rejected: CredentialHeaders): CredentialHeaders | undefined {
    const current = this.show(this.file.reload());
    return current === rejected ? undefined : current;
  }

  private show(value: string): CredentialHeaders {
    if (value !== this.value) {
      this.value = value;
      this.shown = this.headersOf(value);
    }
    return this.shown;
  }
}
