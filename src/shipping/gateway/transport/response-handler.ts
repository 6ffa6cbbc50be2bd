import type { GenericAbortSignal } from 'axios';
import type { IncomingHttpHeaders } from 'node:http';
import pLimit from 'p-limit';
import type { Dispatcher } from 'undici';
import { JoinedChunks } from '../../../common/joined-chunks';
import type { Attempt } from '../../../resilience/attempt';
import { isSuccess, timedOut, type UpstreamFailure } from '../../../resilience/upstream-failure';
import { codingsOf, decode } from './content-encoding';
import { type Arrived, failureOfTransport, oversizedBody } from './transport-failures';

/** A response as it came over the wire. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * The decoded bytes of the body; the failure where it did not arrive whole within the limit, or cannot be decoded.
   */
  readonly body: Buffer | UpstreamFailure;
}

/**
 * A signal that axios accepts. Where it is an attempt, the attempt chooses the connection, and the transport sets what
 * it waits for, and what was odd about its response.
 */
export type TransportSignal = GenericAbortSignal & Partial<Pick<Attempt, 'onNewConnection' | 'waitsFor' | 'remark'>>;

/** A body up to this size is read as it arrives: a page of 100 records has 30 KiB. */
const SMALL_BODY_BYTES = 262_144;
/**
 * Larger bodies that are read or decoded at a time. The others wait, so that 64 calls do not hold 64 bodies of 5 MiB,
 * which would be more than half of the memory of the manifests (D59).
 */
const MAX_LARGE_BODIES = 8;
const readingLargeBodies = pLimit(MAX_LARGE_BODIES);

/**
 * One error object for all aborted requests. undici keeps it while a request waits for a connection, and an error of
 * its own for each request would keep the objects of its call stack in memory.
 */
const ABORTED = timedOut();

/**
 * Collects one response of undici. `pool.request` could do so, but its stream and `AsyncResource` take about 5 % more
 * time for each request for a page of records on Node 26, it keeps each chunk as an object of its own, and it does not
 * show whether a response had begun.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private arrived: Arrived = 'nothing';
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private readonly body: JoinedChunks;
  /** Lets the next large body be read; set once this one is large. */
  private endOfTurn: (() => void) | undefined;
  private hasEnded = false;

  /** @param maxBytes the most bytes that a body may have */
  constructor(
    private readonly maxBytes: number,
    private readonly signal: TransportSignal,
    private readonly settle: (result: ReceivedResponse | UpstreamFailure) => void,
  ) {
    this.body = new JoinedChunks(maxBytes);
    signal.addEventListener?.('abort', this.onAbort);
  }

  /**
   * A request that waits for a connection cannot be aborted. Where its attempt has ended meanwhile, it is aborted here,
   * before it is sent.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.signal.waitsFor = 'response';
    if (this.signal.aborted) controller.abort(ABORTED);
  }

  /**
   * undici calls this for the first byte of a response. It distinguishes a response that broke off from a connection
   * that was lost before any response (D20).
   */
  onResponseStarted(): void {
    this.arrived = 'a byte';
    this.signal.waitsFor = 'rest';
  }

  /** Ignores informational responses (1xx), which come before the final one. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.arrived = 'head';
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.body.add(chunk)) controller.abort(oversizedBody(this.maxBytes));
    else if (this.body.size > SMALL_BODY_BYTES && this.endOfTurn === undefined) this.waitForTurn(controller);
  }

  onResponseEnd(): void {
    this.controller = undefined;
    this.signal.waitsFor = 'processing';
    const { bytes } = this.body;
    const codings = codingsOf(this.headers['content-encoding']);
    // A body that waits for a decoder counts as one that is read, so that no more bodies are held than by reading
    // (D59).
    if (bytes.length === 0 || codings.length === 0) this.receive(bytes);
    else decode(bytes, codings, this.maxBytes, this.signal).then(this.receive, this.receive);
  }

  onResponseError(_: unknown, error: NodeJS.ErrnoException): void {
    const failure = failureOfTransport(error, this.arrived);
    // A failed status is reported even where its body broke off or was too large, because it says more about the
    // failure. A time-out stays a time-out.
    if (this.arrived === 'head' && !isSuccess(this.status) && failure.reason === 'bad-reply') this.receive(failure);
    else this.end(failure);
  }

  private readonly onAbort = (): void => {
    this.controller?.abort(ABORTED);
  };

  /** Stops reading a large body until fewer others are being read. */
  private waitForTurn(controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.signal.waitsFor = 'reading';
    const end = new Promise<void>((resolve) => (this.endOfTurn = resolve));
    void readingLargeBodies(() => {
      // The request may have failed while it waited. Its attempt may have sent another one.
      if (this.hasEnded) return undefined;
      this.signal.waitsFor = 'rest';
      controller.resume();
      return end;
    });
  }

  private readonly receive = (body: Buffer | UpstreamFailure): void => {
    this.end({ status: this.status, headers: this.headers, body });
  };

  private end(result: ReceivedResponse | UpstreamFailure): void {
    this.hasEnded = true;
    this.signal.removeEventListener?.('abort', this.onAbort);
    this.endOfTurn?.();
    this.settle(result);
  }
}
