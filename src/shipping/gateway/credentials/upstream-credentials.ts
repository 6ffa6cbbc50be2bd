/** The headers of a credential. A rejected one is recognised by its object. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** Gives the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /** @throws {UpstreamFailure} where the credential cannot be fetched */
  abstract headers(): CredentialHeaders | Promise<CredentialHeaders>;

  /** The credential for a repetition after 401; `undefined` where there is no other. */
  replace?(rejected: CredentialHeaders): CredentialHeaders | Promise<CredentialHeaders> | undefined;
}
