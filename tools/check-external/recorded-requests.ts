import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import type { Connection, TrackedOptions } from '../../src/shipping/gateway/transport/tracked-client';

/** One HTTP request to the external system, as its connection saw it. */
export interface RecordedRequest {
  /** `undefined`: no status line came. */
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the body, as it was sent. */
  readonly bytes: number;
  /** From the start, waits for a connection included, to the last byte or the failure. */
  readonly durationMs: number;
  /** Whether its connection had carried a response before. */
  readonly isReused: boolean;
}

/** The check has sent as many requests as it may send. */
export class RequestLimitError extends Error {}

/** Records every request that a pool sends, and refuses those beyond a number. */
export class RecordedRequests {
  readonly all: RecordedRequest[] = [];

  /** @param max requests that the pool sends from now on; the next throws {@link RequestLimitError} */
  constructor(pool: Pool, max: number) {
    const dispatch = pool.dispatch.bind(pool);
    pool.dispatch = (options, handler) => {
      if (this.all.length >= max) throw new RequestLimitError(`The check sends ${max} requests at most`);
      const recorder = new RecordingHandler(handler, (options as TrackedOptions).carriedBy);
      this.all.push(recorder);
      return dispatch({ ...options, carriedBy: recorder.carriedBy } as TrackedOptions, recorder);
    };
  }
}

/** Passes every event on to the handler of the transport. */
class RecordingHandler implements Dispatcher.DispatchHandler, RecordedRequest {
  status?: number;
  headers: IncomingHttpHeaders = {};
  bytes = 0;
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
    this.isReused = (this.connection?.responses ?? 0) > 0;
    this.handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    message?: string,
  ): void {
    this.status = status;
    this.headers = headers;
    this.handler.onResponseStart?.(controller, status, headers, message);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
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
