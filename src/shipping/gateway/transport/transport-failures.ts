import { maxHeaderSize } from 'node:http';
import { errors } from 'undici';
import * as failures from '../../../resilience/upstream-failure';
import { UpstreamFailure } from '../../../resilience/upstream-failure';

/** How much of a response had arrived when its request failed. */
export type Arrived = 'nothing' | 'a byte' | 'head';

/** The failure of a body that is larger than the limit, on the wire or decoded. */
export function oversizedBody(maxBytes: number): UpstreamFailure {
  return failures.wrongShape(`larger than ${maxBytes} bytes (EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES)`);
}

/** Codes of a connection that the other side ended; other errors come from connecting or from TLS. */
const LOST: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Why a request failed, by the error of undici and by how much of the response had arrived. */
export function failureOfTransport(error: NodeJS.ErrnoException, arrived: Arrived): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = error.code ?? error.name;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return failures.timedOut();
  // Each of these two classes of errors has one code for many causes, so that its messages are logged instead, which
  // are constant. A message of the parser ends with the parser's own code in parentheses, and only that code is logged.
  const isGeneral = error instanceof errors.SocketError || error instanceof errors.HTTPParserError;
  const cause = isGeneral ? error.message.replace(/^.*\((.*)\)$/, '$1') : code;
  if (arrived === 'head') return failures.brokenResponse(`body incomplete: ${cause}`);
  if (error instanceof errors.HeadersOverflowError) {
    return failures.wrongShape(`larger than ${maxHeaderSize} bytes of headers`);
  }
  if (arrived === 'a byte' || error instanceof errors.HTTPParserError)
    return failures.brokenResponse(`no valid HTTP: ${cause}`);
  return LOST.has(code) ? failures.connectionLost(code) : failures.noConnection(code);
}

const TIME_OUTS: ReadonlySet<unknown> = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);
const CONNECTION_ERROR = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|EPIPE)/;

/**
 * Turns errors of axios, or of a mock of `HttpService` in a test, into failures of the external system. Others are
 * errors of the service, and stay as they are.
 */
export function failureOfHttpService(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UpstreamFailure) return error;
  const { code = '', name, message, isAxiosError } = error as Error & { code?: string; isAxiosError?: boolean };
  if (TIME_OUTS.has(code)) return failures.timedOut();
  if (message.startsWith('maxContentLength')) return failures.wrongShape('larger than the limit');
  if (code === 'ERR_BAD_RESPONSE') return failures.brokenResponse(`body incomplete: ${code}`);
  return isAxiosError === true || CONNECTION_ERROR.test(code) ? failures.noConnection(code || name) : error;
}
