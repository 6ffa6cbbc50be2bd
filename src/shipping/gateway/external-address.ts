export const EXTERNAL_SYSTEM = Symbol('ExternalSystem');

/** The address of the external system, and whether it is the embedded sandbox. */
export interface ExternalSystem {
  /** The path ends without a slash unless it is the root. */
  readonly url: URL;
  /** Whether the external system is the sandbox of this process. */
  readonly embedded: boolean;
}
