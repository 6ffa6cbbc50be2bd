/** The part of an `AbortSignal` that calls need. A real one costs more than the rest of the call policy together. */
export interface DisconnectSignal {
  /** Whether the client has disconnected. */
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}
