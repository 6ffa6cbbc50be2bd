import { performance as nodePerformance } from 'node:perf_hooks';
import type { Cause } from '../common/errors';
import type { CircuitBreaker, Permit } from './circuit-breaker';
import { PlainSignal, startDeadline } from './deadline';
import { notConnected, timedOut, type UpstreamFailure } from './upstream-failure';

/** What a new connection waits for, in words for the message of a time-out (D81). */
export interface Connecting {
  phase: 'address of the host name' | 'connection' | 'TLS handshake';
}

/**
 * Sends one request. Where `attempt` is aborted, it must send nothing more. It rejects where it fails and never throws: an
 * error that is thrown where the request is repeated would end the process.
 */
export type SendOnce<Response> = (attempt: Attempt) => Promise<Response>;

/**
 * If this process was busy for this share of the time of an attempt, a response that is incomplete at the deadline is
 * put down to the process: it does not count against the upstream.
 */
const BUSY_SHARE = 0.5;

/** One attempt to send a request: its deadline, the signal that ends it, and how far it is. */
export class Attempt extends PlainSignal {
  /**
   * What the attempt waits for: the access token, a connection that is being opened, the response, the rest of that
   * response, or for this process to read a response that has begun (`reading`) or to process one that has arrived whole
   * (`processing`). When a deadline passes, it decides the message of the time-out, and whether the time-out counts
   * against the upstream.
   */
  waitsFor: 'access token' | Readonly<Connecting> | 'response' | 'rest' | 'reading' | 'processing' = 'response';
  /** What was odd about the response although it can be read, for the log (D81); set by the transport. */
  remark: Cause | undefined;
  /** Whether the request must not use a connection that is open already (D61). */
  onNewConnection = false;
  /** How long it has taken; set at its end. */
  durationMs = 0;
  private readonly startedAt = performance.now();
  private readonly utilization = nodePerformance.eventLoopUtilization();
  private readonly endDeadline: () => void;

  constructor(
    private readonly circuit: CircuitBreaker,
    readonly permit: Permit,
    timeoutMs: number,
  ) {
    super();
    this.endDeadline = startDeadline(timeoutMs, undefined, () => {
      this.abort(this.timeOut(`${timeoutMs} ms`));
    });
  }

  /**
   * Sends the request. The result comes when the attempt is aborted, whatever `send` does.
   *
   * @param repeats whether a request that failed so is sent again at once, on a new connection (D61)
   */
  run<Response>(send: SendOnce<Response>, repeats: (error: unknown) => boolean): Promise<Response> {
    return new Promise((resolve, reject: (error: Error) => void) => {
      this.addEventListener('abort', () => {
        reject(this.reason);
      });
      send(this).then(resolve, (error: unknown) => {
        if (!this.aborted && repeats(error)) {
          this.onNewConnection = true;
          send(this).then(resolve, reject);
        } else reject(error as Error);
      });
    });
  }

  /** Ends its deadline and its time. The call does so when `run` has settled. */
  end(): void {
    this.endDeadline();
    this.durationMs = performance.now() - this.startedAt;
  }

  /** @throws what has ended the attempt, or UpstreamFailure where the upstream has meanwhile asked for a pause (D21) */
  throwIfRefused(): void {
    this.throwIfAborted();
    this.circuit.throwIfPaused(performance.now());
  }

  /**
   * The failure of an attempt whose deadline passed. A response that had arrived whole was only waiting for this
   * process, and so was one that the process did not read. One that had arrived in part may have been, if the process
   * was busy for half of the time. In these cases the failure is not retried and does not count against the upstream
   * (D57).
   *
   * @param time the time that has passed, in words
   */
  timeOut(time: string): UpstreamFailure {
    const { waitsFor } = this;
    if (waitsFor === 'reading') return timedOut(`too many large responses to read this one within ${time}`, true);
    if (waitsFor === 'processing') return timedOut(`the response arrived, and was not processed within ${time}`, true);
    if (waitsFor === 'rest') {
      const busyMs = nodePerformance.eventLoopUtilization(this.utilization).active;
      return timedOut(`response incomplete after ${time}`, busyMs >= BUSY_SHARE * (performance.now() - this.startedAt));
    }
    if (typeof waitsFor === 'object') return notConnected(waitsFor.phase, time);
    return timedOut(`no ${waitsFor} within ${time}`);
  }
}
