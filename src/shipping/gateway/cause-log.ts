import { printCauses } from '../../common/cause';
import { ThrottledLog } from '../../observability/logging/throttled-log';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { Completeness, QueryResult } from '../model/query-result';

/** Logs why calls fail or return less than everything: each operation and cause in a line of its own (D81). */
export class CauseLog {
  private readonly log = new ThrottledLog('ExternalSystem');
  private readonly connections = new ThrottledLog('ExternalConnection');

  /** Passes on the outcome of a call, and logs its causes where it has any. */
  async observe<Body>(operation: string, call: Promise<QueryResult<Body>>): Promise<QueryResult<Body>> {
    try {
      const result = await call;
      this.connections.recovered('The external system is reachable');
      this.partial(operation, result.completeness);
      return result;
    } catch (error) {
      if (error instanceof UpstreamFailure) this.failed(operation, error);
      throw error;
    }
  }

  private failed(operation: string, { reason, causes, unreachable }: UpstreamFailure): void {
    const who = reason === 'internal' ? 'service' : 'external system';
    this.log.failed(`The ${who} failed: ${operation}: ${printCauses(causes)}`);
    if (unreachable !== undefined) this.connections.failed(`The external system is unreachable: ${unreachable}`);
  }

  /** Each cause has a line without its count: all of them together would rarely come twice, and be a line each time. */
  private partial(operation: string, { causes = [] }: Completeness): void {
    for (const { count = 1, ...cause } of causes) {
      this.log.failed(`The external system sends malformed values: ${operation}: ${printCauses([cause])}`, count);
    }
  }
}
