export const UPSTREAM_SYSTEM = Symbol('UpstreamSystem');

/** The address of the external system, and whether it is the sandbox, an imitation of it in this process. */
export interface UpstreamSystem {
  /** The base URL. Its path has no slash at the end, unless the path is `/`. */
  readonly url: URL;
  /** Whether the external system is the sandbox of this process. */
  readonly embedded: boolean;
}
