export const EXTERNAL_SYSTEM = Symbol('ExternalSystem');

/** Where the external system is. */
export interface ExternalSystem {
  /** The path ends without a slash unless it is the root. */
  readonly url: URL;
  /** It is the sandbox of this process. */
  readonly embedded: boolean;
}
