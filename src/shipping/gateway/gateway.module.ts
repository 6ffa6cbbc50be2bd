import { HttpModule, type HttpModuleOptions } from '@nestjs/axios';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { AxiosAdapter } from 'axios';
import { hash } from 'node:crypto';
import { Pool } from 'undici';
import { isCaching } from '../../config/settings';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../config/external-system';
import { SETTINGS, type Settings } from '../../config/settings';
import { RedisConnection } from '../../redis/redis-connection';
import { CallPolicy, callPolicySettings } from '../../resilience/call-policy';
import { CacheMetrics } from './cache/cache.metrics';
import { MemoryStore } from './cache/memory-store';
import { RedisStore } from './cache/redis-store';
import { ResultCache } from './cache/result-cache';
import { createCredentials } from './create-credentials';
import { CredentialState } from './credentials/credential-state';
import { UpstreamCredentials } from './credentials/upstream-credentials';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { GatewayMetrics } from './gateway.metrics';
import { ShippingProtocol } from './protocol/shipping-protocol';
import { ConnectionState } from './transport/connection-state';
import { ExternalHttpClient } from './transport/external-http-client';
import { AXIOS_ADAPTER, createAxiosAdapter, HttpServiceCalls } from './transport/http-service-calls';
import { createPool, UndiciTransport, type PoolLimits } from './transport/undici-transport';
import { parseResponse } from './transport/upstream-response';

/** Connections to the external system, shared by all calls. */
@Module({
  providers: [
    ConnectionState,
    {
      provide: Pool,
      inject: [EXTERNAL_SYSTEM, SETTINGS],
      useFactory: ({ url }: ExternalSystem, settings: Settings) =>
        createPool(url.origin, poolLimits(settings), settings.external.tls),
    },
    {
      provide: UndiciTransport,
      inject: [Pool, EXTERNAL_SYSTEM, SETTINGS, ConnectionState],
      useFactory: (pool: Pool, { url }: ExternalSystem, settings: Settings, connections: ConnectionState) =>
        new UndiciTransport(pool, url.pathname, poolLimits(settings), connections),
    },
    {
      provide: AXIOS_ADAPTER,
      inject: [UndiciTransport, EXTERNAL_SYSTEM],
      useFactory: (transport: UndiciTransport, { url }: ExternalSystem) => createAxiosAdapter(transport, url.href),
    },
  ],
  exports: [UndiciTransport, AXIOS_ADAPTER, ConnectionState],
})
class TransportModule implements OnApplicationShutdown {
  constructor(@Inject(Pool) private readonly pool: Pool) {}

  onApplicationShutdown(): Promise<void> {
    return this.pool.destroy();
  }
}

/** The gateway with its HTTP client, call policy, cache and metrics. */
@Module({
  imports: [
    TransportModule,
    HttpModule.registerAsync({
      imports: [TransportModule],
      inject: [AXIOS_ADAPTER, EXTERNAL_SYSTEM, SETTINGS],
      useFactory: httpOptions,
    }),
  ],
  providers: [
    GatewayMetrics,
    CacheMetrics,
    CredentialState,
    {
      provide: UpstreamCredentials,
      inject: [SETTINGS],
      useFactory: ({ external }: Settings) => createCredentials(external),
    },
    HttpServiceCalls,
    ExternalHttpClient,
    { provide: CallPolicy, inject: [SETTINGS, GatewayMetrics], useFactory: createCallPolicy },
    {
      provide: ResultCache,
      inject: [
        SETTINGS,
        EXTERNAL_SYSTEM,
        CallPolicy,
        CacheMetrics,
        ShippingProtocol,
        { token: RedisConnection, optional: true },
      ],
      useFactory: createResultCache,
    },
    ExternalShippingGateway,
  ],
  exports: [ExternalShippingGateway, CallPolicy, CredentialState, TransportModule],
})
export class GatewayModule {}

/** Creates the cache; `undefined` where the settings switch it off. */
function createResultCache(
  { cache, external }: Settings,
  { url }: ExternalSystem,
  policy: CallPolicy,
  metrics: CacheMetrics,
  protocol: ShippingProtocol,
  redis?: RedisConnection,
): ResultCache | undefined {
  if (!isCaching(cache)) return undefined;
  const shared = redis && new RedisStore(redis, scopeOf(url, external, protocol), metrics);
  const memory = new MemoryStore(cache.maxBytes);
  return new ResultCache(cache, memory, shared, (key) => policy.isInFlight(key), metrics);
}

/** Another external system, path or protocol may return other records. */
function scopeOf(url: URL, { paths }: Settings['external'], protocol: ShippingProtocol): string {
  const parts = [url.href, paths, protocol.constructor.name];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

function createCallPolicy({ external }: Settings, metrics: GatewayMetrics): CallPolicy {
  const policy = new CallPolicy(callPolicySettings(external), metrics);
  metrics.showState(() => policy.state, external);
  return policy;
}

function httpOptions(adapter: AxiosAdapter, { url }: ExternalSystem, { external }: Settings): HttpModuleOptions {
  return {
    baseURL: url.href,
    adapter,
    transformResponse: [parseResponse],
    validateStatus: null,
    allowAbsoluteUrls: false,
    // For adapters of axios, where a team chooses one.
    maxContentLength: external.maxResponseBytes,
    maxRedirects: 0,
    proxy: false,
  };
}

function poolLimits({ external }: Settings): PoolLimits {
  return {
    connections: external.maxConcurrent,
    connectTimeoutMs: external.attemptTimeoutMs,
    maxResponseBytes: external.maxResponseBytes,
  };
}
