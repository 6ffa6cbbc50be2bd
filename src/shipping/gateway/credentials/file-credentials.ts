import type { ReloadedFiles } from '../../../config/reloaded-files';
import { type CredentialHeaders, UpstreamCredentials } from './upstream-credentials';

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
