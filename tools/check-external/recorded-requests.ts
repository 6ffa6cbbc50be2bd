import { subscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';
import { util, type DiagnosticsChannel } from 'undici';

/** One HTTP request to the external system, as its connection saw it. */
export interface RecordedRequest {
  /** `undefined`: no status line came. */
  readonly status?: number;
  readonly headers: IncomingHttpHeaders;
  /** From the start, waits for a connection included, to the last byte or the failure. */
  readonly durationMs: number;
  /** Whether its connection had carried a request before. */
  readonly isReused: boolean;
}

type Recording = { -readonly [Name in keyof RecordedRequest]: RecordedRequest[Name] } & { readonly startedAt: number };

/** Records every request that undici sends to an origin from now on. */
export function recordRequests(origin: string): readonly RecordedRequest[] {
  const recorded = new Map<object, Recording>();
  const list: Recording[] = [];
  const sockets = new WeakSet<object>();
  const on = (name: string, record: (recording: Recording, message: never) => void): void => {
    subscribe(`undici:${name}`, (message) => {
      const recording = recorded.get((message as { request: object }).request);
      if (recording !== undefined) record(recording, message as never);
    });
  };
  const end = (recording: Recording): void => {
    recording.durationMs = performance.now() - recording.startedAt;
  };
  subscribe('undici:request:create', (message) => {
    const { request } = message as DiagnosticsChannel.RequestCreateMessage;
    if (String(request.origin) !== origin) return;
    const recording = { headers: {}, durationMs: 0, isReused: false, startedAt: performance.now() };
    recorded.set(request, recording);
    list.push(recording);
  });
  on('client:sendHeaders', (recording, { socket }: DiagnosticsChannel.ClientSendHeadersMessage) => {
    recording.isReused = sockets.has(socket);
    sockets.add(socket);
  });
  on('request:headers', (recording, { response }: DiagnosticsChannel.RequestHeadersMessage) => {
    recording.status = response.statusCode;
    recording.headers = util.parseHeaders(response.headers);
  });
  on('request:trailers', end);
  on('request:error', end);
  return list;
}
