import { HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { VERSION } from '../../common/version';
import { SETTINGS, type Settings } from '../../config/settings';
import { RedisConnection } from '../../redis/redis-connection';
import { CallPolicy } from '../../resilience/call-policy';
import { RedisStore } from './cache/redis-store';
import { MemoryStore, ResultCache } from './cache/result-cache';
import { createCredentials, UpstreamCredentials } from './credentials/upstream-credentials';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { GatewayMetrics } from './gateway.metrics';
import { ShippingProtocol } from './protocol/shipping-protocol';
import { UndiciHttpService, UpstreamSystem } from './transport/undici-http.service';

/**
 * The gateway to the external system. Its `HttpService` is not exported: a module of an application that imports Nest's
 * `HttpModule` injects the one of that module.
 */
@Module({
  providers: [
    GatewayMetrics,
    { provide: UpstreamCredentials, inject: [SETTINGS], useFactory: createCredentials },
    { provide: CallPolicy, inject: [SETTINGS, GatewayMetrics], useFactory: createCallPolicy },
    {
      provide: ResultCache,
      inject: [SETTINGS, UpstreamSystem, ShippingProtocol, GatewayMetrics, { token: RedisConnection, optional: true }],
      useFactory: createResultCache,
    },
    { provide: HttpService, useClass: UndiciHttpService },
    ExternalShippingGateway,
  ],
  exports: [ExternalShippingGateway, CallPolicy],
})
export class GatewayModule {}

function createCallPolicy({ external }: Settings, metrics: GatewayMetrics): CallPolicy {
  const policy = new CallPolicy(external, metrics);
  metrics.showState(() => policy.state, external);
  return policy;
}

function createResultCache(
  { cache, external }: Settings,
  { url }: UpstreamSystem,
  protocol: ShippingProtocol,
  metrics: GatewayMetrics,
  redis?: RedisConnection,
): ResultCache | undefined {
  const keepMs = cache.ttlMs + cache.staleIfErrorMs;
  if (keepMs === 0) return undefined;
  // Replicas of two releases share Redis during an upgrade: results of the other release may lack a field (D13).
  const scope = `${VERSION} ${url.href} ${protocol.constructor.name}`;
  const store = redis ? new RedisStore(redis, scope, keepMs, metrics) : new MemoryStore(cache.maxBytes);
  const isForwarding = external.forwardHeaders.length + external.forwardClaims.length > 0;
  return new ResultCache(cache, store, metrics, isForwarding);
}
