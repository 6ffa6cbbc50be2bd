import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that are processed at the same time; their responses are sent in order anyway. */
const MAX_PIPELINED = 32;

/** A connection as Node's HTTP server manages it: while `_paused` is set, Node does not resume reading. */
type HttpSocket = Socket & { _paused?: boolean; parser?: { resume(): void } | null };

/** A request that waits for the responses before it. */
type Waiting = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Bounds the pipelined requests of a connection: those beyond 32 without a response wait, and nothing more is read from
 * the connection meanwhile. What had been read already waits too; where more than `maxWaiting` wait on all connections,
 * the connection that adds to them is closed, because its responses could not overtake those before.
 */
export function boundPipelining(listener: RequestListener, maxWaiting: number): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const shared: Shared = { listener, maxWaiting, waiting: 0 };
  return (request, response) => {
    const { socket } = request;
    // Requests of a chunk are parsed to its end, also when the connection was closed within it.
    if (socket.destroyed) return;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      pipeline = new Pipeline(socket, shared);
      pipelines.set(socket, pipeline);
    }
    pipeline.add([request, response]);
  };
}

/** What all connections of a server share. */
interface Shared {
  readonly listener: RequestListener;
  readonly maxWaiting: number;
  waiting: number;
}

/** The requests of one connection. */
class Pipeline {
  private active = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly socket: HttpSocket,
    private readonly shared: Shared,
  ) {
    // Node resumes reading when a response is written.
    socket.on('resume', () => {
      if (this.waiting.length > 0) pauseReading(socket);
    });
    socket.once('close', () => {
      shared.waiting -= this.waiting.length;
      this.waiting = [];
    });
  }

  add(request: Waiting): void {
    const { shared, socket } = this;
    if (this.active < MAX_PIPELINED) {
      this.start(request);
    } else if (shared.waiting >= shared.maxWaiting) {
      socket.destroy();
    } else {
      shared.waiting += 1;
      this.waiting.push(request);
      pauseReading(socket);
    }
  }

  private start([request, response]: Waiting): void {
    this.active += 1;
    response.once('close', () => {
      this.active -= 1;
      this.proceed();
    });
    this.shared.listener(request, response);
  }

  private proceed(): void {
    if (this.socket.destroyed) return;
    while (this.active < MAX_PIPELINED) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.shared.waiting -= 1;
      this.start(next);
    }
    if (this.waiting.length === 0 && this.socket._paused === true) resumeReading(this.socket);
  }
}

/** Node pauses the parser as well, after the chunk in hand. */
function pauseReading(socket: HttpSocket): void {
  socket._paused = true;
  socket.pause();
}

function resumeReading(socket: HttpSocket): void {
  socket._paused = false;
  socket.parser?.resume();
  socket.resume();
}
