import { ThrottledLog } from '../../observability/logging/throttled-log';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryResult } from '../model/query-result';

/** Finds the count in a part of the cause of a partial response: `2 records without an Id`, `TotalWeight: text (3)`. */
const COUNT = /^(\d+) | \((\d+)\)$/;
/**
 * In a cause, one record is in the singular: `1 record without an Id`. It is logged in the plural, so that the log
 * counts it together with `2 records without an Id`.
 */
const SINGULAR = /^(record|shipping item)(?= )/;

/** Finds why there was no connection, also where the time for it has passed. */
const UNREACHABLE = /^(?:(?:no connection|connection lost): |(?=time-out: no (?:address|connection|TLS)))(.+)$/;

/** Logs why calls fail or return less than everything: each operation and cause in a line of its own (D81). */
export class CauseLog {
  private readonly log = new ThrottledLog('ExternalSystem');
  private readonly connections = new ThrottledLog('ExternalConnection');

  /** Passes on the outcome of a call, and logs its cause where it has one. */
  async observe<Body>(operation: string, call: Promise<QueryResult<Body>>): Promise<QueryResult<Body>> {
    try {
      const result = await call;
      this.connections.recovered('The external system is reachable');
      const { cause } = result.completeness;
      if (cause !== undefined) this.partial(operation, cause);
      return result;
    } catch (error) {
      if (error instanceof UpstreamFailure) this.failed(operation, error);
      throw error;
    }
  }

  private failed(operation: string, { reason, message: cause }: UpstreamFailure): void {
    const who = reason === 'internal' ? 'service' : 'external system';
    this.log.failed(`The ${who} failed: ${operation}: ${cause}`);
    // A failure of the token endpoint, which is another system, does not match: its sentence begins with other words.
    const [, code] = UNREACHABLE.exec(cause) ?? [];
    if (code !== undefined) this.connections.failed(`The external system is unreachable: ${code}`);
  }

  /**
   * Logs each part of a cause by itself, without its number. A whole cause, such as `2 records without an Id,
   * TotalWeight: text (3)`, would rarely come twice, so that nearly each would be a new line.
   */
  private partial(operation: string, cause: string): void {
    for (const part of cause.split(', ')) {
      const [, before, behind] = COUNT.exec(part) ?? [];
      const what = part.replace(COUNT, '').replace(SINGULAR, '$1s');
      const sentence = `The external system sends malformed values: ${operation}: ${what}`;
      this.log.failed(sentence, Number(before ?? behind ?? 1));
    }
  }
}

export function causeOfError(error: unknown): string | undefined {
  return error instanceof UpstreamFailure ? error.message : undefined;
}
