import { type CredentialHeaders, UpstreamCredentials } from './upstream-credentials';

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
