import { FailureLog } from '../../observability/logging/failure-log';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryResult } from '../model/query-result';

/** One kind of malformed values in the cause of a partial response, such as `TotalWeight: text (3)`. */
const COUNTED = /^(.*) \((\d+)\)$/;

/** Logs why calls fail or return less than everything: each operation and cause in a line of its own (D81). */
export class FailureCauses {
  private readonly log = new FailureLog('ExternalSystem');

  /** Passes on the outcome of a call, and logs its cause where it has one. */
  async observe<Body>(operation: string, call: Promise<QueryResult<Body>>): Promise<QueryResult<Body>> {
    try {
      const result = await call;
      const cause = causeOfResult(result);
      if (cause !== undefined) this.partial(operation, cause);
      return result;
    } catch (error) {
      const cause = causeOfError(error);
      if (cause !== undefined) this.log.failed(`The external system failed: ${operation}: ${cause}`);
      throw error;
    }
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
