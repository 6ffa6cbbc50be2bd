import { HttpModule, type HttpModuleOptions } from '@nestjs/axios';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'undici';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../config/external-system';
import { SETTINGS, type Settings } from '../../config/settings';
import { Metrics } from '../../metrics/metrics';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { CallPolicy } from './policy/call-policy';
import { DEFAULT_CALL_POLICY_SETTINGS } from './policy/call-policy.settings';
import { parseReply } from './reply-parser';
import { createPool, createUndiciAdapter, type PoolLimits } from './undici-adapter';

/** Connections to the external system, shared by all of its calls. */
@Module({
  providers: [
    {
      provide: Pool,
      inject: [EXTERNAL_SYSTEM, SETTINGS],
      useFactory: ({ url }: ExternalSystem, settings: Settings) => createPool(url.origin, poolLimits(settings)),
    },
  ],
  exports: [Pool],
})
class PoolModule implements OnApplicationShutdown {
  constructor(@Inject(Pool) private readonly pool: Pool) {}

  onApplicationShutdown(): Promise<void> {
    return this.pool.destroy();
  }
}

/** The gateway, its HTTP client and its call policy. */
@Module({
  imports: [
    HttpModule.registerAsync({
      imports: [PoolModule],
      inject: [Pool, EXTERNAL_SYSTEM, SETTINGS],
      useFactory: httpOptions,
    }),
  ],
  providers: [
    {
      provide: CallPolicy,
      inject: [SETTINGS, Metrics],
      useFactory: ({ external }: Settings, metrics: Metrics) =>
        new CallPolicy(
          {
            ...DEFAULT_CALL_POLICY_SETTINGS,
            timeoutMs: external.timeoutMs,
            attemptTimeoutMs: external.attemptTimeoutMs,
            maxAttempts: external.maxAttempts,
            maxConcurrent: external.maxConcurrent,
            maxQueue: external.maxQueue,
            breaker: { ...DEFAULT_CALL_POLICY_SETTINGS.breaker, openMs: external.breakerOpenMs },
          },
          metrics.observer,
        ),
    },
    ExternalShippingGateway,
  ],
  exports: [ExternalShippingGateway, CallPolicy],
})
export class GatewayModule {}

function httpOptions(pool: Pool, { url }: ExternalSystem, settings: Settings): HttpModuleOptions {
  const { token } = settings.external;
  return {
    baseURL: url.href,
    adapter: createUndiciAdapter(pool, url.pathname, poolLimits(settings)),
    headers: { Accept: 'application/json', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
    transformResponse: [parseReply],
    validateStatus: null,
    maxRedirects: 0,
    proxy: false,
    allowAbsoluteUrls: false,
  };
}

function poolLimits({ external }: Settings): PoolLimits {
  return {
    connections: external.maxConcurrent,
    connectTimeoutMs: external.attemptTimeoutMs,
    maxResponseBytes: external.maxResponseBytes,
  };
}
