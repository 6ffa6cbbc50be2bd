import type { ExternalPaths } from '../../../config/external-system.settings';
import type { Completeness } from '../../model/completeness';

/** A value of a query parameter; `undefined` is left out. */
export type ParameterValue = string | number | Date | undefined;

/** One operation of the external system. */
export interface Operation {
  /** Its name in metrics, spans and the cache. */
  readonly name: string;
  /** Its path below the base URL; `{id}` stands for {@link UpstreamRequest.id}. */
  readonly path: (paths: ExternalPaths) => string;
  /** Whether a cached value is a body of this operation, see `isModel` and `isListOf`. */
  readonly isBody: (value: unknown) => boolean;
}

/** What a query requests from the external system. */
export interface UpstreamRequest<Body> {
  readonly operation: Operation;
  /** Replaces `{id}` in the path; has passed validation. */
  readonly id?: string;
  /** Query parameters by the names of the external system. */
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
  /**
   * Maps the body of a successful upstream response.
   *
   * @throws {AttemptFailure} where the body has the wrong shape
   */
  readonly read: (body: unknown) => MappedBody<Body>;
}

/** A mapped upstream response. */
export interface MappedBody<Body> {
  readonly body: Body;
  readonly completeness: Completeness;
}
