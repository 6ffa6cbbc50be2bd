/** Injection token of the {@link ExternalSystem}. */
export const EXTERNAL_SYSTEM = Symbol('ExternalSystem');

/** Where the external shipping system is, once that is known. */
export interface ExternalSystem {
  /** Its base URL; the path ends without a slash unless it is the root. */
  readonly url: URL;
  /** Whether it is the sandbox that this service started for itself. */
  readonly embedded: boolean;
  /** Ends what was started along with it. */
  stop(): Promise<void>;
}
