import { compile } from '@fastify/proxy-addr';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { RequestListener, Server } from 'node:http';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import { withoutPort } from '../../common/text';
import { readSettings, type Settings } from '../../config/settings';
import { routableTarget } from '../paths';
import { requestIdOf } from '../requests/request-headers';
import { BoundedServer } from './bounded-server';

/**
 * Creates the HTTP server of the service, for `NestFactory.create`.
 *
 * @throws {SettingsError} for an invalid environment
 */
export function createAdapter(settings: Settings = readSettings(process.env)): FastifyAdapter {
  const { trustedProxies, maxActiveRequests } = settings;
  const isTrusted = compile(trustedProxies);
  return new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Validation refuses identifiers that are too long.
      maxParamLength: MAX_HEADER_BYTES,
    },
    rewriteUrl: routableTarget,
    // `addHooks` registers middleware after the hooks that refuse requests.
    skipMiddie: true,
    serverFactory: (listener: RequestListener): Server => new BoundedServer(listener, maxActiveRequests),
    // The server has its own.
    clientErrorHandler: () => undefined,
    // Requests on open connections are served while draining.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    // Addresses of `X-Forwarded-For` may have a port.
    trustProxy: (address: string, hop: number) => isTrusted(withoutPort(address), hop),
  });
}
