import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { isRestricted } from '../config/settings';
import { SETTINGS, type Settings } from '../config/settings';
import { RedisConnection } from '../redis/redis-connection';
import { AccessMetrics } from './access.metrics';
import { AuthenticationGuard } from './authentication.guard';
import { Authenticator } from './authenticator';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimiter } from './rate-limiter';

/**
 * Authentication and rate limiting as guards of every route. Routes that are not `@Public()` are closed. Without a
 * setting for them nothing is registered.
 */
@Module({})
export class AccessModule {
  static register({ access, rateLimit }: Settings): DynamicModule {
    const providers: Provider[] = [AccessMetrics];
    if (rateLimit !== undefined) {
      providers.push({
        provide: RateLimiter,
        inject: [SETTINGS, AccessMetrics, { token: RedisConnection, optional: true }],
        useFactory: (settings: Settings, metrics: AccessMetrics, redis?: RedisConnection) =>
          RateLimiter.create(settings, metrics, redis),
      });
    }
    // Guards run in this order.
    if (isRestricted(access)) {
      providers.push(
        {
          provide: Authenticator,
          inject: [SETTINGS],
          useFactory: (settings: Settings) => Authenticator.create(settings),
        },
        { provide: APP_GUARD, useClass: AuthenticationGuard },
      );
    }
    if (rateLimit !== undefined) providers.push({ provide: APP_GUARD, useClass: RateLimitGuard });
    return { module: AccessModule, providers };
  }
}
