/** The headers of a credential. `replace` compares the object, not its values, to see which credential was rejected. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** Gives the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /** @throws {UpstreamFailure} where the credential cannot be fetched */
  abstract headers(): CredentialHeaders | Promise<CredentialHeaders>;

  /** Another credential, for sending a request again after 401; `undefined` where there is no other. */
  replace?(rejected: CredentialHeaders): CredentialHeaders | Promise<CredentialHeaders> | undefined;
}
