import { buildConnector } from 'undici';
import type { Settings } from '../../../config/settings';

/** Opens connections to the external system. All pools have this connector, so that they share TLS sessions. */
export function createConnector({ hostname }: URL, settings: Settings['external']): buildConnector.connector {
  const { tls, attemptTimeoutMs } = settings;
  const connect = buildConnector({
    ...tls,
    // The dot at the end of an absolute host name is no part of a server name in TLS (RFC 6066, section 3).
    servername: hostname.endsWith('.') ? hostname.slice(0, -1) : undefined,
    timeout: attemptTimeoutMs,
    autoSelectFamily: true,
    // By default, Node tries another address of the host after 250 ms, which may be too short for a connection over a
    // long distance (D82).
    autoSelectFamilyAttemptTimeout: Math.ceil(attemptTimeoutMs / 2),
  });
  return (options, callback) => {
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [, socket] = result;
      // With TLS 1.3, a server refuses a client certificate by an alert on the open connection, and then ends it.
      // undici would report that end; after `destroy`, the alert is the error, and the log can name it (D81).
      socket?.on('error', () => socket.destroy());
      callback(...result);
    });
  };
}
