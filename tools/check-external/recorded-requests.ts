import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import type { Connection, TrackedOptions } from '../../src/shipping/gateway/transport/tracked-client';

/** One HTTP request to the external system, as its connection saw it. */
export interface RecordedRequest {
  /** `undefined`: no status line came. */
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  /** From the start, waits for a connection included, to the last byte or the failure. */
  readonly durationMs: number;
  /** Whether its connection had carried a response before. */
  readonly isReused: boolean;
}

/** Records every request that a pool sends from now on. */
export function recordRequests(pool: Pool): readonly RecordedRequest[] {
  const recorded: RecordedRequest[] = [];
  const dispatch = pool.dispatch.bind(pool);
  pool.dispatch = (options, handler) => {
    const recorder = new RecordingHandler(handler, (options as TrackedOptions).carriedBy);
    recorded.push(recorder);
    return dispatch({ ...options, carriedBy: recorder.carriedBy } as TrackedOptions, recorder);
  };
  return recorded;
}

/** Passes every event on to the handler of the transport. */
class RecordingHandler implements Dispatcher.DispatchHandler, RecordedRequest {
  status?: number;
  headers: IncomingHttpHeaders = {};
  durationMs = 0;
  isReused = false;
  private readonly startedAt = performance.now();
  private connection?: Connection;

  constructor(
    private readonly handler: Dispatcher.DispatchHandler,
    private readonly passOn: TrackedOptions['carriedBy'],
  ) {}

  readonly carriedBy = (connection: Connection): void => {
    this.connection = connection;
    this.passOn(connection);
  };

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    message?: string,
  ): void {
    this.isReused = (this.connection?.responses ?? 0) > 0;
    this.status = status;
    this.headers = headers;
    this.handler.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.durationMs = performance.now() - this.startedAt;
    this.handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.durationMs = performance.now() - this.startedAt;
    this.handler.onResponseError?.(controller, error);
  }
}
