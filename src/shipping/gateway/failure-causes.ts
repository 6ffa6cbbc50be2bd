import { FailureLog } from '../../observability/logging/failure-log';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryResult } from '../model/query-result';

/** One kind of malformed values in the cause of a partial response, such as `TotalWeight: text (3)`. */
const COUNTED = /^(.*) \((\d+)\)$/;

/** Logs why calls fail or return less than everything: each operation and cause in a line of its own (D81). */
export class FailureCauses {
  private readonly log = new FailureLog('ExternalSystem');
  private readonly connections = new FailureLog('ExternalConnection');

  /** Passes on the outcome of a call, and logs its cause where it has one. */
  async observe<Body>(operation: string, call: Promise<QueryResult<Body>>): Promise<QueryResult<Body>> {
    try {
      const result = await call;
      if (this.connections.isFailing) this.connections.recovered('The external system is reachable');
      const cause = causeOfResult(result);
      if (cause !== undefined) this.partial(operation, cause);
      return result;
    } catch (error) {
      if (error instanceof UpstreamFailure) this.failed(operation, error.message);
      throw error;
    }
  }

  private failed(operation: string, cause: string): void {
    this.log.failed(`The external system failed: ${operation}: ${cause}`);
    // The sentences of a token endpoint, which is another system, begin otherwise.
    const [, code] = /^(?:no connection|connection lost): (.+)$/.exec(cause) ?? [];
    if (code !== undefined) this.connections.failed(`The external system is unreachable: ${code}`);
  }

  /** Logs a line for each field: whole causes differ by their numbers, and each would be a line. */
  private partial(operation: string, cause: string): void {
    for (const part of cause.split(', ')) {
      const [, what = part, times = 1] = COUNTED.exec(part) ?? [];
      this.log.failed(`The external system sends malformed values: ${operation}: ${what}`, Number(times));
    }
  }
}

export function causeOfResult({ completeness }: QueryResult<unknown>): string | undefined {
  return completeness.level === 'complete' ? undefined : completeness.cause;
}

export function causeOfError(error: unknown): string | undefined {
  return error instanceof UpstreamFailure ? error.message : undefined;
}
