import { HttpModule, HttpService, type HttpModuleOptions } from '@nestjs/axios';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'undici';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../config/external-system';
import { SETTINGS, type Settings } from '../../config/settings';
import { Metrics } from '../../metrics/metrics';
import { AnswerCache } from './cache/answer-cache';
import { createAnswerCache } from './cache/create-answer-cache';
import { createAxiosAdapter, ExternalHttpClient } from './external-http-client';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { CallPolicy } from './policy/call-policy';
import { DEFAULT_CALL_POLICY_SETTINGS } from './policy/call-policy.settings';
import { parseReply } from './reply-parser';
import { createPool, UndiciTransport, type PoolLimits } from './undici-transport';

/** Connections to the external system, shared by all of its calls. */
@Module({
  providers: [
    {
      provide: Pool,
      inject: [EXTERNAL_SYSTEM, SETTINGS],
      useFactory: ({ url }: ExternalSystem, settings: Settings) => createPool(url.origin, poolLimits(settings)),
    },
    {
      provide: UndiciTransport,
      inject: [Pool, EXTERNAL_SYSTEM, SETTINGS],
      useFactory: (pool: Pool, { url }: ExternalSystem, settings: Settings) =>
        new UndiciTransport(pool, url.pathname, poolLimits(settings)),
    },
  ],
  exports: [UndiciTransport],
})
class TransportModule implements OnApplicationShutdown {
  constructor(@Inject(Pool) private readonly pool: Pool) {}

  onApplicationShutdown(): Promise<void> {
    return this.pool.destroy();
  }
}

/** The gateway, its HTTP client and its call policy. */
@Module({
  imports: [
    TransportModule,
    HttpModule.registerAsync({
      imports: [TransportModule],
      inject: [UndiciTransport, EXTERNAL_SYSTEM],
      useFactory: httpOptions,
    }),
  ],
  providers: [
    {
      provide: ExternalHttpClient,
      inject: [HttpService, UndiciTransport, SETTINGS],
      useFactory: (http: HttpService, transport: UndiciTransport, settings: Settings) =>
        new ExternalHttpClient(http, transport, settings.external.token),
    },
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
    {
      provide: AnswerCache,
      inject: [SETTINGS, EXTERNAL_SYSTEM, CallPolicy, Metrics],
      useFactory: createAnswerCache,
    },
    ExternalShippingGateway,
  ],
  exports: [ExternalShippingGateway, CallPolicy],
})
export class GatewayModule {}

function httpOptions(transport: UndiciTransport, { url }: ExternalSystem): HttpModuleOptions {
  return {
    baseURL: url.href,
    adapter: createAxiosAdapter(transport),
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
