import { HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { rootCertificates } from 'node:tls';
import { ReloadedSecret } from '../../config/secret-file';
import { isCaching, SETTINGS, type Settings } from '../../config/settings';
import { RedisConnection } from '../../redis/redis-connection';
import { CallPolicy } from '../../resilience/call-policy';
import { CacheMetrics } from './cache/cache.metrics';
import { MemoryStore } from './cache/memory-store';
import { RedisStore } from './cache/redis-store';
import { ResultCache } from './cache/result-cache';
import { OAuthCredentials } from './credentials/oauth-credentials';
import { UpstreamCredentials } from './credentials/upstream-credentials';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './external-address';
import { GatewayMetrics } from './gateway.metrics';
import { ShippingProtocol } from './protocol/shipping-protocol';
import { UndiciHttpService } from './transport/undici-http.service';

/**
 * Token of the `HttpService` that calls the external system. The class itself as a token would be ambiguous: a module
 * that an application adds may import Nest's `HttpModule`, and then injects the `HttpService` of that module.
 */
export const EXTERNAL_HTTP_SERVICE = Symbol('external HttpService');

/** The gateway to the external system. */
@Module({
  providers: [
    GatewayMetrics,
    CacheMetrics,
    { provide: UpstreamCredentials, inject: [SETTINGS], useFactory: createCredentials },
    { provide: CallPolicy, inject: [SETTINGS, GatewayMetrics], useFactory: createCallPolicy },
    {
      provide: ResultCache,
      inject: [SETTINGS, EXTERNAL_SYSTEM, ShippingProtocol, CacheMetrics, { token: RedisConnection, optional: true }],
      useFactory: createResultCache,
    },
    { provide: HttpService, useClass: UndiciHttpService },
    { provide: EXTERNAL_HTTP_SERVICE, useExisting: HttpService },
    ExternalShippingGateway,
  ],
  exports: [EXTERNAL_HTTP_SERVICE, ExternalShippingGateway, CallPolicy],
})
export class GatewayModule {}

function createCredentials({ external }: Settings): UpstreamCredentials | undefined {
  const { credentials, attemptTimeoutMs, tls } = external;
  if (credentials.kind === 'none') return undefined;
  if (credentials.kind === 'oauth') {
    // Beside the configured authority, Node's own are trusted: the token endpoint may have a public certificate.
    const ca = tls.ca === undefined ? undefined : [...rootCertificates, tls.ca];
    return new OAuthCredentials(credentials, attemptTimeoutMs, ca);
  }
  const secret = new ReloadedSecret(credentials.secret, 'the credential for the external system');
  if (credentials.kind === 'token') {
    return { headers: () => ({ Authorization: `${credentials.scheme} ${secret.current}` }) };
  }
  return { headers: () => ({ [credentials.header]: secret.current }) };
}

function createCallPolicy({ external }: Settings, metrics: GatewayMetrics): CallPolicy {
  const policy = new CallPolicy(external, metrics);
  metrics.showState(() => policy.state, external);
  return policy;
}

function createResultCache(
  { cache }: Settings,
  { url }: ExternalSystem,
  protocol: ShippingProtocol,
  metrics: CacheMetrics,
  redis?: RedisConnection,
): ResultCache | undefined {
  if (!isCaching(cache)) return undefined;
  const scope = `${url.href} ${protocol.constructor.name}`;
  const keepMs = cache.ttlMs + cache.staleIfErrorMs;
  const store = redis ? new RedisStore(redis, scope, keepMs, metrics) : new MemoryStore(cache.maxBytes);
  return new ResultCache(cache, store, metrics);
}
