import { HttpModule, HttpService, type HttpModuleOptions } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './external-system';
import { isCaching, SETTINGS, type Settings } from '../../config/settings';
import { RedisConnection } from '../../redis/redis-connection';
import { CallPolicy } from '../../resilience/call-policy';
import { callPolicySettings } from '../../resilience/call-policy.settings';
import { CacheMetrics } from './cache/cache.metrics';
import { MemoryStore } from './cache/memory-store';
import { RedisStore } from './cache/redis-store';
import { ResultCache } from './cache/result-cache';
import { CredentialLog } from './credentials/credential-log';
import { createCredentials } from './credentials/create-credentials';
import { UpstreamCredentials } from './credentials/upstream-credentials';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { GatewayMetrics } from './gateway.metrics';
import { ShippingProtocol } from './protocol/shipping-protocol';
import { createAdapter, ExternalHttpService } from './transport/external-http.service';
import { UpstreamConnections } from './transport/upstream-connections';
import { UpstreamSender } from './protocol/upstream-sender';
import { parseResponse } from './transport/upstream-response';

/** Connections to the external system, shared by all calls. */
@Module({ providers: [UpstreamConnections], exports: [UpstreamConnections] })
class ConnectionsModule {}

/** The gateway with its HTTP client, call policy, cache and metrics. */
@Module({
  imports: [
    HttpModule.registerAsync({
      imports: [ConnectionsModule],
      inject: [UpstreamConnections, EXTERNAL_SYSTEM, SETTINGS],
      useFactory: httpOptions,
      extraProviders: [{ provide: HttpService, useClass: ExternalHttpService }],
    }),
    ConnectionsModule,
  ],
  providers: [
    GatewayMetrics,
    CacheMetrics,
    CredentialLog,
    {
      provide: UpstreamCredentials,
      inject: [SETTINGS],
      useFactory: ({ external }: Settings) => createCredentials(external),
    },
    UpstreamSender,
    { provide: CallPolicy, inject: [SETTINGS, GatewayMetrics], useFactory: createCallPolicy },
    {
      provide: ResultCache,
      inject: [SETTINGS, EXTERNAL_SYSTEM, ShippingProtocol, CacheMetrics, { token: RedisConnection, optional: true }],
      useFactory: createResultCache,
    },
    ExternalShippingGateway,
  ],
  exports: [ExternalShippingGateway, CallPolicy],
})
export class GatewayModule {}

/** Creates the cache; `undefined` where the settings switch it off. */
function createResultCache(
  { cache }: Settings,
  { url }: ExternalSystem,
  protocol: ShippingProtocol,
  metrics: CacheMetrics,
  redis?: RedisConnection,
): ResultCache | undefined {
  if (!isCaching(cache)) return undefined;
  const scope = `${url.href} ${protocol.constructor.name}`;
  const store =
    redis === undefined
      ? new MemoryStore(cache.maxBytes)
      : new RedisStore(redis, scope, cache.ttlMs + cache.staleIfErrorMs, metrics);
  return new ResultCache(cache, store, metrics);
}

function createCallPolicy({ external }: Settings, metrics: GatewayMetrics): CallPolicy {
  const policy = new CallPolicy(callPolicySettings(external), metrics);
  metrics.showState(() => policy.state, external);
  return policy;
}

function httpOptions(
  connections: UpstreamConnections,
  { url }: ExternalSystem,
  { external }: Settings,
): HttpModuleOptions {
  return {
    baseURL: url.href,
    adapter: createAdapter(connections),
    transformResponse: [parseResponse],
    validateStatus: null,
    allowAbsoluteUrls: false,
    // For adapters of axios, where a team chooses one.
    maxContentLength: external.maxResponseBytes,
    maxRedirects: 0,
    proxy: false,
  };
}
