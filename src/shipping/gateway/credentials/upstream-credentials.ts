/** The headers that authenticate a request. Each credential has an object of its own, by which it is recognised. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** Port: the credential of requests to the external system. */
export abstract class UpstreamCredentials {
  /**
   * The current credential. A promise only where it has to be fetched first.
   *
   * @throws {UpstreamFailure} where it cannot be fetched
   */
  abstract headers(): CredentialHeaders | Promise<CredentialHeaders>;

  /**
   * The credential to repeat a request with that got 401; `undefined` where there is no other.
   *
   * @throws {UpstreamFailure} where it cannot be fetched
   */
  abstract replace(rejected: CredentialHeaders): CredentialHeaders | Promise<CredentialHeaders> | undefined;
}
