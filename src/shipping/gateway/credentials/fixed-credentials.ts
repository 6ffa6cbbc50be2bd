import { UpstreamCredentials, type CredentialHeaders } from './upstream-credentials';

/** A token or an API key, which changes with its file only; or none. */
export class FixedCredentials extends UpstreamCredentials {
  private value: string | undefined;
  private shown: CredentialHeaders = {};

  /** @param headersOf the headers that carry a value */
  constructor(
    private readonly secret: { readonly current: string },
    private readonly headersOf: (value: string) => CredentialHeaders,
  ) {
    super();
  }

  override headers(): CredentialHeaders {
    const value = this.secret.current;
    if (value !== this.value) this.shown = this.headersOf(value);
    this.value = value;
    return this.shown;
  }

  override replace(rejected: CredentialHeaders): CredentialHeaders | undefined {
    const current = this.headers();
    return current === rejected ? undefined : current;
  }
}
