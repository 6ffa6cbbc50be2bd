import { compile } from '@fastify/proxy-addr';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import { isDecodable, withoutPort } from '../../common/text';
import { readSettings, type Settings } from '../../config/settings';
import { UNDECODABLE_TARGET } from '../paths';
import { requestIdFrom } from '../requests/request-headers';
import { BoundedServer } from './bounded-server';

/** Connections for each request that may be in progress: most of the others are idle between two requests. */
const CONNECTIONS_PER_REQUEST = 4;
/** Room for probes and metrics where few requests may be in progress. */
const MIN_CONNECTIONS = 256;

/**
 * The HTTP server of the service, for `NestFactory.create` and `createNestApplication`: its bounds, case-insensitive routes,
 * the addresses of clients behind proxies, a request id.
 *
 * @throws {SettingsError} where the environment has faults; all are listed
 */
export function createAdapter(settings: Settings = readSettings(process.env)): FastifyAdapter {
  const { trustedProxies, maxActiveRequests } = settings;
  const maxConnections = Math.max(MIN_CONNECTIONS, CONNECTIONS_PER_REQUEST * maxActiveRequests);
  return new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Validation refuses identifiers that are too long; the header limit bounds them.
      maxParamLength: MAX_HEADER_BYTES,
    },
    rewriteUrl: routableTarget,
    // Nest would register middleware before the hooks that refuse requests; `addHooks` registers it after them.
    skipMiddie: true,
    serverFactory: (listener: RequestListener): Server => new BoundedServer(listener, maxConnections),
    // The server has its own.
    clientErrorHandler: () => undefined,
    // While draining, requests on open connections are served and their connections closed.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (request: IncomingMessage) => requestIdFrom(request.headers['x-request-id']),
    ...(trustedProxies.length > 0 && { trustProxy: trusting(trustedProxies) }),
  });
}

/** Whether an address of `X-Forwarded-For`, with or without a port, is that of a proxy. */
function trusting(proxies: readonly string[]): (address: string, hop: number) => boolean {
  const isTrusted = compile([...proxies]);
  return (address, hop) => isTrusted(withoutPort(address), hop);
}

/** Fastify runs no hook for `*` and for paths that cannot be decoded. */
function routableTarget({ url = '/' }: { url?: string }): string {
  const isRoutable = url !== '*' && (!url.includes('%') || isDecodable(url.split('?', 1)[0] ?? ''));
  return isRoutable ? url : UNDECODABLE_TARGET;
}
