import { Logger } from '@nestjs/common';
import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { Settings } from '../../../config/settings';
import type { Connecting } from '../../../resilience/deadline';
import { timedOut } from '../../../resilience/upstream-failure';
import type { GatewayMetrics } from '../gateway.metrics';

/**
 * The share of an attempt's deadline in which its connection has to be open. The rest is for the response. With the
 * whole deadline, a firewall that drops packets would look like a system that does not respond (D81).
 */
const CONNECT_SHARE = 0.8;

/**
 * Opens connections to the external system. All pools have this connector, so that they share TLS sessions. Its `phase`
 * is that of the connection that is being opened for the longest time.
 */
export interface Connector extends Readonly<Connecting> {
  readonly connect: buildConnector.connector;
}

export function createConnector(
  { hostname }: URL,
  { tls, attemptTimeoutMs }: Settings['external'],
  metrics: GatewayMetrics,
): Connector {
  const timeoutMs = Math.floor(CONNECT_SHARE * attemptTimeoutMs);
  const firstPhase = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? 'address of the host name' : 'connection';
  const opening = new Set<Connecting>();
  // The types of undici leave out that a connector returns its socket, also before that is connected.
  const connect = buildConnector({
    ...tls,
    // The dot at the end of an absolute host name is no part of a server name in TLS (RFC 6066, section 3).
    servername: hostname.endsWith('.') ? hostname.slice(0, -1) : undefined,
    // The timer below is exact; that of undici may be half a second late, and its error does not name what was missing.
    timeout: 0,
    autoSelectFamily: true,
    // By default, Node tries another address of the host after 250 ms, which may be too short for a connection over a
    // long distance (D82).
    autoSelectFamilyAttemptTimeout: Math.ceil(attemptTimeoutMs / 2),
  }) as unknown as (...parameters: Parameters<buildConnector.connector>) => Socket;
  return {
    get phase() {
      return [...opening][0]?.phase ?? 'connection';
    },
    connect: (options, callback) => {
      const state: Connecting = { phase: firstPhase };
      opening.add(state);
      const socket = connect(options, (...result: Parameters<buildConnector.Callback>) => {
        opening.delete(state);
        clearTimeout(timer);
        const [, opened] = result;
        // With TLS 1.3, a server refuses a client certificate by an alert on the open connection, and then ends it.
        // undici would report that end; after `destroy`, the alert is the error, and the log can name it (D81).
        opened?.on('error', () => opened.destroy());
        const certificate = opened instanceof TLSSocket ? opened.getPeerX509Certificate() : undefined;
        if (certificate !== undefined) metrics.certificateSeen('server', certificate.validTo);
        callback(...result);
      });
      socket.once('lookup', () => (state.phase = 'connection')).once('connect', () => (state.phase = 'TLS handshake'));
      const timer = setTimeout(() => {
        socket.destroy(timedOut(`no ${state.phase} within ${timeoutMs} ms`));
      }, timeoutMs);
    },
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNING_DAYS = 14;

/**
 * Warns at start and once a day where the client certificate, which is read at start, expires within 14 days.
 *
 * @returns a function that ends the warnings
 */
export function warnOfExpiry(validTo: string): () => void {
  const expiresAt = Date.parse(validTo);
  const warn = (): void => {
    const days = (expiresAt - Date.now()) / DAY_MS;
    if (days > WARNING_DAYS) return;
    const date = new Date(expiresAt).toISOString().slice(0, 10);
    const verb = days > 0 ? 'expires' : 'expired';
    new Logger('ClientCertificate').warn(`The client certificate for the external system ${verb} on ${date}`);
  };
  warn();
  const timer = setInterval(warn, DAY_MS).unref();
  return () => {
    clearInterval(timer);
  };
}
