import { buildConnector } from 'undici';
import type { Settings } from '../../../config/settings';

/** Opens connections to the external system, for all pools, which so share their TLS sessions. */
export function createConnector({ hostname }: URL, settings: Settings['external']): buildConnector.connector {
  const { tls, attemptTimeoutMs } = settings;
  const connect = buildConnector({
    ...tls,
    // The dot at the end of an absolute host name is no part of a server name in TLS (RFC 6066, section 3).
    servername: hostname.endsWith('.') ? hostname.slice(0, -1) : undefined,
    timeout: attemptTimeoutMs,
    autoSelectFamily: true,
    // Node gives an address up after 250 ms, which is less than a handshake over a long distance may take (D82).
    autoSelectFamilyAttemptTimeout: Math.ceil(attemptTimeoutMs / 2),
  });
  return (options, callback) => {
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [, socket] = result;
      // With TLS 1.3, a refused client certificate is an alert on an open connection. undici would replace it by the
      // end of the connection that follows; after `destroy` nothing follows.
      socket?.on('error', () => socket.destroy());
      callback(...result);
    });
  };
}
